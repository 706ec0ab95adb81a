"""By how much a restart moves figures of the same programs: what earlier records of starts know."""

from __future__ import annotations

import contextlib
from pathlib import Path

from hopcost.errors import HopcostError
from hopcost.plan.method import METHOD
from hopcost.plan.turns import Scope
from hopcost.record import reader
from hopcost.record.contents.run import Record
from hopcost.record.names import FOLDER
from hopcost.statistics import figures
from hopcost.statistics.arms import PairedBlocks, RecordBlocks
from hopcost.suites.suite import Suite

RECORDS_READ = 10  # the latest; each takes a moment
LEAST_STARTS = 4


def known_spread(suite: Suite, folder: Path = FOLDER) -> float | None:
    """The largest restart spread in throughput, as a share, over the suite's servers; None unless each has one."""
    wanted = [{hop.name for hop in arm.server.hops} for arm in suite.arms.values() if arm.server is not None]
    if not all(wanted):
        return None
    known: list[float | None] = [None] * len(wanted)
    with contextlib.suppress(OSError):
        paths = sorted((path for path in folder.iterdir() if path.is_dir()), key=lambda path: path.name, reverse=True)
        for path in paths[:RECORDS_READ]:
            with contextlib.suppress(HopcostError):
                spreads = spreads_in(reader.read_record(path))
                known = [own or _spread_of(programs, spreads) for own, programs in zip(known, wanted, strict=True)]
    all_known = [spread for spread in known if spread is not None]
    return max(all_known) if len(all_known) == len(wanted) else None


def spreads_in(record: Record) -> dict[frozenset[str], float]:
    """By the programs of an arm, the restart spread of its throughput; of this method and of enough starts alone."""
    if record.run.method != METHOD.number:
        return {}
    blocks = RecordBlocks(record.plan.experiments, record.blocks)
    spreads: dict[frozenset[str], float] = {}
    for planned in record.plan.experiments:
        if planned.scope is not Scope.STARTS or planned.copy is None:
            continue
        paired: PairedBlocks = blocks.of(planned)
        for arm in planned.arms:
            if arm.name in (planned.copied_arm, planned.copy):
                continue
            spread = paired.restart_spread(arm.name, figures.throughput)
            if spread is not None and paired.count(arm.name, figures.throughput) >= LEAST_STARTS:
                programs = frozenset(hop.program for hop in arm.arm.hops)
                spreads[programs] = max(spread, spreads.get(programs, 0.0))
    return spreads


def _spread_of(programs: set[str], spreads: dict[frozenset[str], float]) -> float | None:
    return spreads.get(frozenset(programs))
