"""What a machine prints of itself, and what happened between two looks."""

from __future__ import annotations

import pytest

from hopcost.errors import MeasurementFailed
from hopcost.machine.other_load import ProcessTime
from hopcost.measure.fleet.reading import MachineReading, change, parse_facts, parse_reading

FACTS = """host: bench-2
architecture: x86_64
kernel: 6.12.0
cpu: AMD EPYC 9B14
microcode: 0xffffffff
hypervisor: 1
allowed_cores: 0-1,3
clocksource: tsc
memory_kib: 2048
python: /usr/bin/python3
"""
FIELDS = "1 7 7 0 -1 4194304 0 0 0 0 3 4 1 0 20 0 1 0 99 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 0"
READ = f"""4711
==
100.25 300.00
==
cpu  1 2 3 4 5 6 7 8
cpu0 1 2 3 4 5 6 7 8 9
cpu1 1 2 3 4 5 6 7 20 9
intr 5
==
pswpin 3
pswpout 4
==
7 (a (b) c) S {FIELDS}
==
usage_usec 9
throttled_usec 5
==
usage_usec 9
==
"""


def test_facts_are_read_and_what_is_not_said_is_absent() -> None:
    facts = parse_facts(FACTS)
    assert (facts.host, facts.kernel, facts.cpu, facts.clocksource) == ("bench-2", "6.12.0", "AMD EPYC 9B14", "tsc")
    assert (facts.allowed_cores, facts.memory_bytes, facts.hypervisor, facts.has_python) == (
        [0, 1, 3],
        2 << 20,
        True,
        True,
    )
    nothing = parse_facts("host: x\ncpu: \nhypervisor: 0\n")
    assert (nothing.cpu, nothing.memory_bytes, nothing.hypervisor, nothing.has_python) == (None, None, False, False)


def test_a_reading_has_its_parts() -> None:
    own = parse_reading(READ)
    assert (own.reader, own.uptime_ns) == (4711, 100_250_000_000)
    assert own.steal_ns == {0: 80_000_000, 1: 200_000_000}
    assert (own.swapped_pages, own.throttled_ns) == (7, 5000)
    assert [(process.pid, process.name, process.core) for process in own.processes] == [(7, "a (b) c", 1)]


def test_without_quotas_nothing_is_known_of_throttling() -> None:
    assert parse_reading(READ.replace("throttled_usec 5\n", "")).throttled_ns is None


@pytest.mark.parametrize("text", ["", "Welcome to bench!\n", READ.replace("100.25", "soon")])
def test_what_is_no_reading_is_refused(text: str) -> None:
    with pytest.raises(MeasurementFailed, match="what nobody understands"):
        parse_reading(text)


READER = 4711


def process(pid: int, name: str, cpu_ns: int, core: int = 1, children_ns: int = 0, parent: int = 1) -> ProcessTime:
    return ProcessTime(pid, parent, name, began_ticks=pid, cpu_ns=cpu_ns, children_ns=children_ns, core=core)


def reading(seconds: float, steal_ns: int, *processes: ProcessTime, swapped: int | None = 0) -> MachineReading:
    return MachineReading(READER, round(seconds * 1e9), {0: 10**9, 1: steal_ns}, swapped, None, list(processes))


def test_others_are_who_ran_on_the_engines_cores_and_is_not_the_engine() -> None:
    before = reading(1, 5, process(7, "cron", 100), process(8, "far", 0, core=0), process(9, "hopcost-engine-", 0))
    after = reading(3, 12, process(7, "cron", 400), process(8, "far", 50, core=0), process(9, "hopcost-engine-", 10**9))
    own = change(before, after, [1], "hopcost-engine-0123456789abcdef")
    assert [(program.name, program.cpu_ns) for program in own.others] == [("cron", 300)]
    assert (own.elapsed_ns, own.steal_ns, own.foreign_cpu_ns) == (2_000_000_000, 7, 300)
    assert (own.swapped_pages, own.throttled_ns) == (0, None)


def test_who_reads_the_counters_is_nobody_else() -> None:
    """A login shell that starts with much of its user's has used a tenth of a second by then."""
    after = reading(3, 0, process(READER, "sh", 90_000_000), process(12, "sh", 5))
    assert [program.pid for program in change(reading(1, 0), after, [1], "hopcost-engine-0").others] == [12]


def test_an_engine_that_has_ended_is_not_its_login() -> None:
    before = reading(1, 0, process(7, "sshd-session", 100))
    after = reading(3, 0, process(7, "sshd-session", 150, children_ns=10**9))
    assert change(before, after, [1], "hopcost-engine-0").foreign_cpu_ns == 50


def test_what_one_reading_does_not_know_is_not_known() -> None:
    assert change(reading(1, 0, swapped=None), reading(2, 0), [1], "x").swapped_pages is None
