"""CPU time that adds up, and the kernel's accounts that it is compared with. Nothing is run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from samples.truth import filled

from tools.truth import cpu_account, lines
from tools.truth.form import Form
from tools.truth.sections import attribution

BEFORE = attribution.Reading(0.5, 0.2, 0.1, 1.0, 3.0, 4.0, 0.0)


def reading(**changed: Any) -> attribution.Reading:
    values = {"hops": 6.5, "children": 3.2, "harness": 0.2, "account": 10.2, "every_task": 13.0, "not_idle": 14.4}
    return attribution.Reading(**{**values, "interrupts": 0.1, **changed})


def test_cpu_time_adds_up_by_hand() -> None:
    figures = attribution.parts(BEFORE, reading())
    assert (figures["hops_s"], figures["generator_s"]) == (6.0, 3.0) and figures["harness_s"] == pytest.approx(0.1)
    assert figures["sum_of_account"] == pytest.approx(9.1 / 9.2)
    assert figures["others_s"] == pytest.approx(0.8) and figures["every_task_s"] == pytest.approx(10.0)
    assert figures["sum_of_every_task"] == pytest.approx(9.9 / 10.0)
    assert figures["every_task_of_not_idle"] == pytest.approx(10.1 / 10.4), "interrupts that are kept apart are known"


def test_a_hop_that_nobody_counts_is_missed_even_beside_busy_others() -> None:
    uncounted = attribution.parts(BEFORE, reading(hops=5.5, every_task=113.0, not_idle=114.0))
    assert attribution.misses(uncounted, "one-core")[0] > 1, "of our own account it is a tenth"
    assert attribution.misses(uncounted, "one-core")[1] < 1, "of all tasks it would pass"


def test_a_kernel_without_an_account_of_all_tasks() -> None:
    figures = attribution.parts(BEFORE, reading(every_task=None))
    assert "every_task_s" not in figures and attribution.misses(figures, "one-core") == pytest.approx(
        [0.1 / 9.2 / 0.02]
    )
    text, holds = attribution.Attribution().page(filled(attribution.Attribution(), lambda case, n: figures))
    assert holds and sum("|  |  |  |" in row for row in text) == 2


def test_the_bars_of_both_placements() -> None:
    off = {"sum_of_account": 0.97, "sum_of_every_task": 1.0}
    assert attribution.misses(off, "all-cores") == pytest.approx([1.0, 0.0])
    assert attribution.misses(off, "one-core") == pytest.approx([1.5, 0.0])


def test_the_section_says_what_is_in_no_task() -> None:
    figures = attribution.parts(BEFORE, reading()) | {"sum_of_account": 1.025, "sum_of_every_task": 1.0}

    text, holds = attribution.Attribution().page(filled(attribution.Attribution(), lambda case, n: figures))
    rows = [row for row in text if row.startswith(("| apart", "| shared"))]
    assert not holds and [row.split(" | ")[-1] for row in rows] == ["no |", "yes |"]
    assert all("| 2.9 % |" in row for row in rows)
    text, holds = attribution.Attribution(form=Form.SHORT).page(lines.Sorted([], {}))
    assert not holds and any("| 0 of 3 |" in row and "unfinished: 0 of 3 runs" in row for row in text)


def test_accounts_of_both_versions_are_read_in_ns(tmp_path: Path) -> None:
    first, second = tmp_path / "1", tmp_path / "2"
    first.mkdir()
    second.mkdir()
    (first / "cpuacct.usage").write_text("338904055169\n")
    (second / "cpu.stat").write_text("usage_usec 334103807\nuser_usec 276678168\n")
    assert (cpu_account.read_ns(first), cpu_account.read_ns(second)) == (338_904_055_169, 334_103_807_000)


def test_only_the_root_of_version_1_is_the_whole_machine(tmp_path: Path) -> None:
    mounts = f"cgroup {tmp_path} cgroup rw,cpu,cpuacct 0 0\ncgroup2 {tmp_path}/unified cgroup2 rw 0 0"
    own = "2:cpu,cpuacct:/shell\n0::/shell"
    (tmp_path / "cpuacct.usage").write_text("1\n")
    assert cpu_account.find_root(mounts, own) is None, "a container sees a part as its root"
    (tmp_path / "release_agent").write_text("")
    assert cpu_account.find_root(mounts, own) == tmp_path
    assert cpu_account.find_root(mounts.splitlines()[1], own) is None, "version 2 adds up ticks"


def test_idle_time_is_measured_if_every_core_says_it(tmp_path: Path) -> None:
    stat = "cpu  27667 0 5601 150 50 0 142 33 0 0\ncpu0 1 1 1 1\n"
    for core, times in (("cpu0", (0, 1_500_000)), ("cpu1", (250_000, 2_000_000))):
        for state, time_us in enumerate(times):
            folder = tmp_path / core / "cpuidle" / f"state{state}"
            folder.mkdir(parents=True)
            (folder / "time").write_text(f"{time_us}\n")
    (tmp_path / "cpufreq").mkdir()
    assert cpu_account.idle(tmp_path, stat) == cpu_account.Idle(3.75, measured=True)
    (tmp_path / "cpu2").mkdir()
    assert cpu_account.idle(tmp_path, stat) == cpu_account.Idle(2.0, measured=False), "in ticks of 10 ms"
