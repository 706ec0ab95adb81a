"""Connections in TIME_WAIT, by link and by who closed first."""

from __future__ import annotations

from hopcost.record.contents.evidence import TimeWait
from hopcost.stacks.sandbox import sockets

TABLE = """  sl  local_address rem_address   st tx_queue rx_queue
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000
   1: 0100007F:1F90 0100007F:9C40 06 00000000:00000000
   2: 0100007F:9C41 0100007F:1F90 06 00000000:00000000
   3: 0100007F:9C42 0100007F:1F90 06 00000000:00000000
   4: 0100007F:9C43 0100007F:1F90 01 00000000:00000000
   5: 0100007F:9C44 0100007F:1F91 06 00000000:00000000
"""


def test_time_wait_is_told_apart_by_link_and_by_who_closed_first() -> None:
    counted = sockets.count_time_wait({"nginx": 8080, "app": 8081}, sockets.ports_of(TABLE))
    assert counted == [TimeWait(hop="nginx", server=1, client=2), TimeWait(hop="app", server=0, client=1)]
