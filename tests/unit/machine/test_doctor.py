"""The doctor's judgements: pass, or warn and fail with the remedy."""

from __future__ import annotations

import errno
import os

import pytest

from hopcost.machine import doctor
from hopcost.machine.doctor import Finding, Level

EPOLL = "the engine uses epoll, which costs more"


def judged(finding: Finding) -> tuple[str, str]:
    """Level and words; what is no pass has a remedy, a pass needs none."""
    assert (finding.remedy is None) == (finding.level is Level.PASS), finding
    return finding.level.value, finding.what


@pytest.mark.parametrize(
    ("allowed", "siblings", "expected"),
    [
        ([0], {0: []}, ("warn", "1 core(s), 1 physical: none is left for the generator alone")),
        ([0, 1], {0: [1], 1: [0]}, ("warn", "2 core(s), 1 physical: none is left for the generator alone")),
        (
            [0, 1],
            {0: [], 1: []},
            ("warn", "2 cores, 2 physical: some articles had more; their experiments run, and say so"),
        ),
        ([0, 1], {}, ("warn", "2 cores, 2 physical: some articles had more; their experiments run, and say so")),
        (
            [0, 1, 2, 3],
            {0: [2], 2: [0], 1: [3], 3: [1]},
            ("warn", "4 cores, 2 physical: some articles had more; their experiments run, and say so"),
        ),
        ([0, 1, 2, 3], {}, ("pass", "4 cores, 4 physical")),
        ([0, 1, 2, 3], {0: [4], 1: [5], 2: [6], 3: [7]}, ("pass", "4 cores, 4 physical")),
    ],
)
def test_cores(allowed: list[int], siblings: dict[int, list[int]], expected: tuple[str, str]) -> None:
    findings = doctor.cores(allowed, siblings)
    assert judged(findings[0]) == expected
    assert len(findings) == 2


def test_siblings_are_named() -> None:
    siblings = doctor.cores([0, 1, 2, 3], {0: [2], 2: [0], 1: [], 3: []})[1]
    assert judged(siblings) == ("warn", "SMT siblings share a core: 0 with 2; 2 with 0")
    assert "/sys/devices/system/cpu/smt/control" in (siblings.remedy or "")
    assert judged(doctor.cores([0, 1], {0: [], 1: []})[1]) == ("pass", "no SMT siblings are visible")


@pytest.mark.parametrize(("present", "level"), [(True, "warn"), (False, "pass")])
def test_hypervisor(present: bool, level: str) -> None:
    assert judged(doctor.hypervisor(present))[0] == level


@pytest.mark.parametrize(
    ("driver", "may_be_kept_awake", "expected"),
    [
        ("haltpoll", True, ("pass", "idle cores stay awake during a run")),
        ("haltpoll", False, ("warn", "idle cores may halt, and only the hypervisor wakes them")),
        (None, True, ("warn", "idle cores halt, and only the hypervisor wakes them")),
    ],
)
def test_idle_cores(driver: str | None, may_be_kept_awake: bool, expected: tuple[str, str]) -> None:
    level, what = judged(doctor.idle_cores(driver, may_be_kept_awake))
    assert (level, what.partition(":")[0]) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (None, ("pass", "frequency governor: none visible")),
        ("performance", ("pass", "frequency governor: performance")),
        ("powersave", ("warn", "frequency governor 'powersave': the clock follows the load")),
    ],
)
def test_governor(name: str | None, expected: tuple[str, str]) -> None:
    assert judged(doctor.governor(name)) == expected


def test_other_load_names_the_busiest() -> None:
    finding = doctor.other_load(0.3, ["busy", "half", "?"])
    assert judged(finding) == ("warn", "other load: 30% of all cores are busy")
    assert finding.remedy == "end what else runs (most CPU time: busy, half, ?)"


@pytest.mark.parametrize("busy", [0.0, 0.05])
def test_little_other_load_passes(busy: float) -> None:
    assert judged(doctor.other_load(busy, [])) == ("pass", f"other load: {busy:.1%} of all cores")


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        (0.0, ("pass", "steal: 0.0%")),
        (0.05, ("pass", "steal: 5.0%")),
        (0.2, ("warn", "steal: the hypervisor keeps 20% of the CPU time")),
    ],
)
def test_stolen(share: float, expected: tuple[str, str]) -> None:
    assert judged(doctor.stolen(share)) == expected


@pytest.mark.parametrize(
    ("used", "expected"), [(0, ("pass", "swap is not in use")), (3 * 2**20, ("warn", "3 MiB are swapped out"))]
)
def test_swap(used: int, expected: tuple[str, str]) -> None:
    assert judged(doctor.swap(used)) == expected


@pytest.mark.parametrize(
    ("source", "level"), [("tsc", "pass"), ("kvm-clock", "pass"), ("hpet", "warn"), ("acpi_pm", "warn"), (None, "warn")]
)
def test_clock(source: str | None, level: str) -> None:
    assert judged(doctor.clock(source))[0] == level


@pytest.mark.parametrize(
    ("hard", "expected"),
    [
        (-1, ("pass", "open files: up to any number")),
        (10_000, ("pass", "open files: up to 10000")),
        (9_999, ("warn", "open files: at most 9999")),
    ],
)
def test_open_files(hard: int, expected: tuple[str, str]) -> None:
    assert judged(doctor.open_files(hard)) == expected


@pytest.mark.parametrize(
    ("kind", "parent", "expected"),
    [
        ("cgroup2", "/cg/x", ("pass", "stacks are frozen by cgroup2 in /cg/x")),
        ("cgroup1", "/cg/y", ("pass", "stacks are frozen by cgroup1 in /cg/y")),
        ("signal", None, ("warn", "no cgroup can be made: stacks are frozen by SIGSTOP")),
    ],
)
def test_freezer(kind: str, parent: str | None, expected: tuple[str, str]) -> None:
    assert judged(doctor.freezer(kind, parent)) == expected


@pytest.mark.parametrize(
    ("disabled", "refusal", "expected"),
    [
        ("0", None, ("pass", "io_uring can be used")),
        # The switch came with Linux 6.6; Debian 12 has 6.1, and io_uring without one.
        (None, None, ("pass", "io_uring can be used")),
        ("2", errno.EPERM, ("warn", f"io_uring is refused ({os.strerror(errno.EPERM)}): {EPOLL}")),
        ("0", errno.EPERM, ("warn", f"io_uring is refused ({os.strerror(errno.EPERM)}): {EPOLL}")),
        (None, errno.EINVAL, ("warn", f"io_uring is refused ({os.strerror(errno.EINVAL)}): {EPOLL}")),
    ],
)
def test_io_uring(disabled: str | None, refusal: int | None, expected: tuple[str, str]) -> None:
    assert judged(doctor.io_uring(disabled, refusal)) == expected


def test_each_refusal_of_io_uring_has_its_own_hint() -> None:
    switched_off, forbidden, old = (
        doctor.io_uring(disabled, refusal).remedy
        for disabled, refusal in (("1", errno.EPERM), ("0", errno.EPERM), (None, errno.EINVAL))
    )
    assert switched_off == "sysctl kernel.io_uring_disabled=0"
    assert forbidden is not None and "seccomp" in forbidden
    assert old is not None and "Linux 6.1" in old


@pytest.mark.parametrize(("enabled", "state"), [("1", "on"), ("0", "off"), (None, "not in this kernel")])
def test_autogroup(enabled: str | None, state: str) -> None:
    expected = ("pass", f"scheduler autogroup is {state}; every stack is one session")
    assert judged(doctor.autogroup(enabled)) == expected


def test_own_binaries() -> None:
    engine, origin = doctor.own_binaries({"hopcost-engine": True, "hopcost-origin": False})
    assert judged(engine) == ("pass", "hopcost-engine is built")
    assert judged(origin) == ("fail", "hopcost-origin is not built")
    assert origin.remedy == "in a checkout: make setup (it needs Rust); else install hopcost again"


def test_programs() -> None:
    assert judged(doctor.program("nginx", "1.22")) == ("pass", "nginx 1.22")
    missing = doctor.program("go", None, "'go' is not installed", "get it")
    assert judged(missing) == ("warn", "go: 'go' is not installed")
    assert missing.remedy == "get it"


@pytest.mark.parametrize(
    ("accounted", "expected"),
    [
        (None, ("warn", "IRQ_TIME_ACCOUNTING: unknown, the kernel's configuration cannot be read")),
        (True, ("warn", "IRQ_TIME_ACCOUNTING is on: CPU per request lacks the kernel's network work")),
        (False, ("pass", "IRQ_TIME_ACCOUNTING is off: CPU time holds the kernel's network work")),
    ],
)
def test_interrupts_are_never_known_where_they_are_not(accounted: bool | None, expected: tuple[str, str]) -> None:
    assert judged(doctor.interrupts(accounted)) == expected


@pytest.mark.parametrize(
    ("why_none", "tools", "shapes", "levels"),
    [
        (None, [], {"tbf": None, "netem": None}, ["pass", "pass", "pass"]),
        (None, [], {"tbf": None, "netem": "qdisc kind is unknown"}, ["pass", "pass", "pass"]),
        (None, [], {"tbf": "qdisc kind is unknown", "netem": None}, ["pass", "warn", "pass"]),
        (None, ["tc"], {}, ["pass", "warn"]),
        ("Operation not permitted; stacks share", [], {}, ["warn"]),
    ],
)
def test_namespaces(why_none: str | None, tools: list[str], shapes: dict[str, str | None], levels: list[str]) -> None:
    findings = doctor.namespaces(why_none, tools, shapes)
    assert [each.level.value for each in findings] == levels
    if why_none is not None:
        assert findings[0].what == "no network namespaces: Operation not permitted; stacks share"


def test_load_that_nobody_here_makes_comes_from_outside() -> None:
    assert doctor.other_load(0.5, ["rustc"]).remedy == "end what else runs (most CPU time: rustc)"
    hidden = doctor.other_load(0.5, []).remedy
    assert hidden == "end what else runs (nobody seen from here: outside of this container)"
