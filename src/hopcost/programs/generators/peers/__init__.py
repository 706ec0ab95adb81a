"""The other load generators by name. A new one is a file here, a line here, and a name in suites/peer_name.py."""

from __future__ import annotations

from hopcost.programs.generators.peers.ab import AB
from hopcost.programs.generators.peers.h2load import H2LOAD
from hopcost.programs.generators.peers.hey import HEY
from hopcost.programs.generators.peers.oha import OHA
from hopcost.programs.generators.peers.peer import Peer
from hopcost.programs.generators.peers.wrk import WRK

BY_NAME: dict[str, Peer] = {peer.name: peer for peer in (WRK, AB, H2LOAD, OHA, HEY)}
