"""What would spoil a measurement on this machine: judgements of facts that `hopcost doctor` gathers."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping, Sequence
from enum import Enum

import msgspec

from hopcost.machine.binaries import REMEDY

BUSY_AT_MOST = 0.05
STEAL_AT_MOST = 0.05
OPEN_FILES_WANTED = 10_000
STEADY_CLOCKS = ("tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter")


class Level(Enum):
    """How bad it is."""

    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"


class Finding(msgspec.Struct, frozen=True):
    """One line of the doctor."""

    level: Level
    what: str
    remedy: str | None = None


def _passed(what: str) -> Finding:
    return Finding(Level.PASS, what)


def _warning(what: str, remedy: str | None) -> Finding:
    return Finding(Level.WARN, what, remedy)


def cores(allowed: list[int], siblings: Mapping[int, list[int]]) -> list[Finding]:
    """Enough physical cores to keep the generator apart from the stack."""
    paired = {core: others for core, others in siblings.items() if others}
    physical = len({frozenset({core, *siblings.get(core, [])}) for core in allowed})
    findings = []
    if physical < 2:
        findings.append(
            _warning(
                f"{len(allowed)} core(s), {physical} physical: none is left for the generator alone",
                "experiments on one core for the stack are left out; those on all cores run, and their throughput holds"
                " the generator's cost; use a machine with two physical cores",
            )
        )
    elif physical < 4:
        findings.append(
            _warning(
                f"{len(allowed)} cores, {physical} physical: some articles had more; their experiments run, and say so",
                "a machine with as many cores comes nearer to their figures",
            )
        )
    else:
        findings.append(_passed(f"{len(allowed)} cores, {physical} physical"))
    if paired:
        pairs = "; ".join(f"{core} with {', '.join(map(str, others))}" for core, others in sorted(paired.items()))
        findings.append(
            _warning(
                f"SMT siblings share a core: {pairs}",
                "hopcost keeps the generator off the stack's siblings; for all-cores experiments switch SMT off:"
                " echo off > /sys/devices/system/cpu/smt/control",
            )
        )
    else:
        findings.append(_passed("no SMT siblings are visible"))
    return findings


def hypervisor(present: bool) -> Finding:
    """Virtual machines drift with their neighbours."""
    if present:
        return _warning(
            "a virtual machine: its speed drifts with its neighbours",
            "hopcost interleaves finely against that; absolute figures still move, compare ratios",
        )
    return _passed("no hypervisor")


def idle_cores(driver: str | None, may_be_kept_awake: bool) -> Finding:
    """Of a virtual machine: whether idle cores can be kept awake, so that no request waits for the hypervisor."""
    if driver is None:
        return _warning(
            "idle cores halt, and only the hypervisor wakes them: response times and steal hold its delays",
            "start the guest with cpuidle_haltpoll.force=1 on its kernel's command line",
        )
    if not may_be_kept_awake:
        return _warning(
            "idle cores may halt, and only the hypervisor wakes them: response times and steal hold its delays",
            "run as root, or let your user write to /dev/cpu_dma_latency",
        )
    return _passed("idle cores stay awake during a run")


def governor(name: object) -> Finding:
    """A frequency that follows the load makes a light arm look dear."""
    if name in (None, "performance"):
        return _passed("frequency governor: " + ("none visible" if name is None else "performance"))
    return _warning(
        f"frequency governor '{name}': the clock follows the load", "cpupower frequency-set --governor performance"
    )


def other_load(busy: float, busiest: Sequence[str]) -> Finding:
    """Other programs' load, and the names of those that used most CPU time."""
    if busy <= BUSY_AT_MOST:
        return _passed(f"other load: {busy:.1%} of all cores")
    who = f"most CPU time: {', '.join(busiest)}" if busiest else "nobody seen from here: outside of this container"
    return _warning(f"other load: {busy:.0%} of all cores are busy", f"end what else runs ({who})")


def stolen(share: float) -> Finding:
    """CPU time kept by the hypervisor."""
    if share <= STEAL_AT_MOST:
        return _passed(f"steal: {share:.1%}")
    return _warning(
        f"steal: the hypervisor keeps {share:.0%} of the CPU time",
        "measure when the neighbours are quiet, or on a machine of its own",
    )


def swap(used_bytes: int) -> Finding:
    """A swapped-out page is a stall."""
    if used_bytes == 0:
        return _passed("swap is not in use")
    return _warning(f"{used_bytes / 2**20:.0f} MiB are swapped out", "swapoff -a, or end what needs the memory")


def clock(source: object) -> Finding:
    """Reading the clock must not be a system call."""
    if source in STEADY_CLOCKS:
        return _passed(f"clock source {source}")
    return _warning(
        f"clock source {source}: reading the time is slow here",
        "choose another one in /sys/devices/system/clocksource/clocksource0",
    )


def open_files(hard: int) -> Finding:
    """Every connection is an open file on both sides."""
    if hard < 0 or hard >= OPEN_FILES_WANTED:
        return _passed(f"open files: up to {'any number' if hard < 0 else hard}")
    return _warning(
        f"open files: at most {hard}", f"ulimit -Hn {OPEN_FILES_WANTED} before starting, as root or in limits.conf"
    )


def freezer(kind: str, parent: str | None) -> Finding:
    """What holds the other arms still: cgroups made in the folder `parent`, or signals."""
    if parent is None:
        return _warning(
            "no cgroup can be made: stacks are frozen by SIGSTOP",
            "run as root, or with a delegated cgroup: systemd-run --user --scope -p Delegate=yes hopcost …;"
            " in a container: with a /sys/fs/cgroup that can be written",
        )
    return _passed(f"stacks are frozen by {kind} in {parent}")


def namespaces(why_none: str | None, missing_tools: list[str], shapes: Mapping[str, str | None]) -> list[Finding]:
    """Whether stacks get networks of their own (else why not), links with a rate (tbf), and a delay (netem; unused)."""
    if why_none is not None:
        return [
            _warning(
                f"no network namespaces: {why_none}",
                "run as root, or allow unprivileged user namespaces: sysctl kernel.unprivileged_userns_clone=1,"
                " kernel.apparmor_restrict_unprivileged_userns=0; in a container: --cap-add SYS_ADMIN and NET_ADMIN",
            )
        ]
    findings = [_passed("every stack gets a network namespace of its own")]
    if missing_tools:
        findings.append(
            _warning(f"no links with a rate: {' and '.join(missing_tools)} missing", "apt-get install iproute2")
        )
        return findings
    if shapes.get("tbf") is None:
        findings.append(_passed("links can have a rate (tc tbf)"))
    else:
        findings.append(_warning(f"no links with a rate: {shapes['tbf']}", "modprobe sch_tbf"))
    delay = "links can have a delay" if shapes.get("netem") is None else "no link delay"
    findings.append(_passed(f"{delay} (tc netem); not needed"))
    return findings


def interrupts(accounted: bool | None) -> Finding:
    """Where the kernel books soft interrupts apart, a process's CPU time lacks its network work."""
    if accounted is None:
        return _warning(
            "IRQ_TIME_ACCOUNTING: unknown, the kernel's configuration cannot be read",
            "if it is on, CPU per request lacks the kernel's network work: docs/explain/limits.md",
        )
    if accounted:
        return _warning(
            "IRQ_TIME_ACCOUNTING is on: CPU per request lacks the kernel's network work",
            "compare CPU between arms only with docs/explain/limits.md in mind; throughput and times are not concerned",
        )
    return _passed("IRQ_TIME_ACCOUNTING is off: CPU time holds the kernel's network work")


def io_uring(disabled: object, refusal: int | None) -> Finding:
    """The engine's cheaper backend: the sysctl, and the error number with which the kernel refused it just now."""
    if refusal is None:
        return _passed("io_uring can be used")
    if disabled in ("1", "2"):
        remedy = "sysctl kernel.io_uring_disabled=0"
    elif refusal == errno.EPERM:
        remedy = (
            "a container's seccomp profile forbids it: allow io_uring_setup, io_uring_enter and io_uring_register, or"
            " start the container with --security-opt seccomp=unconfined"
        )
    else:
        remedy = "the engine's kind of io_uring came with Linux 6.1"
    return _warning(f"io_uring is refused ({os.strerror(refusal)}): the engine uses epoll, which costs more", remedy)


def autogroup(enabled: object) -> Finding:
    """Scheduling by session: each stack is one session, so the setting is known, not harmful."""
    state = {"1": "on", "0": "off"}.get(str(enabled), "not in this kernel")
    return _passed(f"scheduler autogroup is {state}; every stack is one session")


def own_binaries(built: Mapping[str, bool]) -> list[Finding]:
    """hopcost's own binaries."""
    return [
        _passed(f"{name} is built") if there else Finding(Level.FAIL, f"{name} is not built", REMEDY)
        for name, there in built.items()
    ]


def program(name: str, version: str | None, missing: str | None = None, remedy: str | None = None) -> Finding:
    """A program that suites use: its version, or why it is not there."""
    if version is not None:
        return _passed(f"{name} {version}")
    return _warning(f"{name}: {missing}", remedy)
