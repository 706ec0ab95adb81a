"""`hopcost conf` from the request to the answer: learn, screen, confirm, read."""

from __future__ import annotations

import secrets
from collections.abc import Callable

import msgspec

from hopcost.measure import run
from hopcost.measure.protocols.conf.growing import GrowingRecord
from hopcost.measure.protocols.conf.learning import ConfLearned, Learning, refuse_nothing
from hopcost.measure.protocols.conf.phases import Phases
from hopcost.measure.protocols.conf.request import ConfRequest
from hopcost.measure.protocols.conf.suite import Phase, whole_suite
from hopcost.measure.rig import RealRig
from hopcost.measure.watcher import RunWatcher
from hopcost.plan.options import MachineLimits, RunOptions
from hopcost.record import reader
from hopcost.statistics.questions.conf.question import AS_IS, CONFIRMED
from hopcost.statistics.questions.conf.result import ConfResult, read_conf
from hopcost.suites.suite import Suite


class MeasuredConf(msgspec.Struct, frozen=True):
    """The answer, None if the run ended before its first phase; whether it was stopped, and whether nothing failed."""

    answer: ConfResult | None
    interrupted: bool
    well: bool


def learn_conf(request: ConfRequest, say: Callable[[str], None], time_s: float | None = None) -> ConfLearned:
    """Learn the configuration, and decide what is measured; `say` hears what is being done meanwhile.

    UsageError with file and line for a configuration that nginx would refuse, or that this load shows nothing of.
    """
    learned = Learning(request, say).learn(time_s)
    refuse_nothing(learned.plan.question)
    return learned


def measure_conf(learned: ConfLearned, options: RunOptions, run_watcher: RunWatcher) -> MeasuredConf:
    """Measure all phases, and read the answer off the record, also off one that was interrupted."""
    if options.seed is None:
        options = msgspec.structs.replace(options, seed=secrets.randbits(32))
    machine = ThisMachine(learned, options, run_watcher)
    interrupted, well = False, False
    record = GrowingRecord(learned.plan, options, machine, run_watcher)
    phases = Phases(learned.plan, record, learned.trials)
    try:
        with record:
            well = phases.run()
    except KeyboardInterrupt:
        interrupted = True
    answer = None if record.path is None else read_conf(phases.question, reader.read_record(record.path))
    return MeasuredConf(answer, interrupted, well)


class ThisMachine:
    """The real one: programs are asked for their versions, and built if they are missing."""

    def __init__(self, learned: ConfLearned, options: RunOptions, run_watcher: RunWatcher) -> None:
        self._options, self._run_watcher = options, run_watcher
        as_is = Phase(CONFIRMED, "?", {AS_IS: []}, app_stack=learned.plan.app_stack)
        here = run.look_around(whole_suite(learned.plan, [as_is]), options, run_watcher)
        host, self.environment = run.open_host(here, run_watcher)
        self.rig = RealRig(host)

    def limits(self, suite: Suite) -> MachineLimits:
        """Of a phase's suite."""
        return run.look_around(suite, self._options, self._run_watcher).limits
