"""An origin that is dearer by a known amount of work must be seen as dearer. A section of docs/truth.md.

The amount is a number of rounds of arithmetic before each answer. What it costs is measured here without hopcost's
slices: whole loads of a counted number of requests, the origins never frozen, their process CPU clocks read before and
after.
"""

from __future__ import annotations

import contextlib
import json
import random
import subprocess
import time
from collections.abc import Iterator
from functools import partial

import truth_runs
from truth_kept import Kept, aside
from truth_lines import FOLDER, Case, Figures, Line, Sorted, build, median, read, row, sort_out, this_machine
from truth_runs import Experiment
from truth_server import generator_core, load, origin_core

from hopcost import binaries, doctor_spread
from hopcost.statistics import Interval, mean

SECTION = "sensitivity"
CALIBRATION, TRUTH = "calibration", "what it costs"
CALIBRATIONS, TRUTHS, RUNS, SEEN_LEAST = 10, 12, 20, 18
CONNECTIONS, REQUESTS, PASSES = 64, 50_000, 6
PROBE_ROUNDS = 1000  # more than a µs: what a round costs is read off a difference that stands far out of the noise
SHARES = {"2 %": 0.02, "5 %": 0.05}
QUIET_SPREAD = 0.12  # of pairs of slices, as `hopcost doctor --spread` has it
OFF_MOST = 0.005  # of the true cost from the share that was asked for
PATH = FOLDER / "sensitivity.jsonl"


def budget_s(name: str, spread: float) -> float:
    """How long a run may take: more for the small difference, and more still where the machine is restless.

    >>> budget_s("5 %", 0.5), budget_s("2 %", 0.11), budget_s("2 %", 0.12)
    (60.0, 120.0, 240.0)
    """
    if name == "5 %":
        return 60.0
    return 120.0 if spread < QUIET_SPREAD else 240.0


def cases() -> list[Case]:
    """Calibration first; the rest needs what it says, and waits for it."""
    loads: dict[str, object] = {"connections": CONNECTIONS, "requests": REQUESTS, "passes": PASSES}
    first = Case(SECTION, CALIBRATION, calibrate, CALIBRATIONS, {**loads, "probe_rounds": PROBE_ROUNDS})
    kept = sort_out(read(PATH, Line), [first], build(), this_machine()).of(SECTION, CALIBRATION)
    if len(kept) < CALIBRATIONS:
        return [first]
    rounds = {name: rounds_for(share, kept) for name, share in SHARES.items()}
    found = [first, Case(SECTION, TRUTH, partial(true_cost, rounds), TRUTHS, {**loads, "rounds": rounds})]
    for name in SHARES:
        settings: dict[str, object] = {"rounds": rounds[name], "method": truth_runs.method()}
        found.append(Case(SECTION, name, partial(run, name, rounds[name]), RUNS, settings))
    return found


KEPT = Kept(PATH, cases, CALIBRATIONS + TRUTHS + RUNS * len(SHARES))


def rounds_for(share: float, calibrations: list[Figures]) -> int:
    """The rounds that cost this share of a plain request.

    >>> rounds_for(0.02, [{"plain_ns": 4000.0, "round_ns": 2.0}])
    40
    """
    return round(share * median(calibrations, "plain_ns") / median(calibrations, "round_ns"))


@contextlib.contextmanager
def origin(work_rounds: int) -> Iterator[tuple[int, str]]:
    """An origin on the stack's core, as hopcost starts it: its pid and address."""
    command = ["taskset", "--cpu-list", str(origin_core()), str(binaries.require("hopcost-origin"))]
    command += ["--listen", "http+tcp:127.0.0.1:0", "--work-rounds", str(work_rounds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            assert process.stdout is not None, "a pipe was asked for"
            yield process.pid, json.loads(process.stdout.readline())["listeners"][0]["address"]
        finally:
            process.kill()


def cpu_ns(pid: int) -> int:
    """The process CPU clock, as clock_getcpuclockid(3) makes its number."""
    return time.clock_gettime_ns((~pid << 3) | 2)


def costs(rounds: dict[str, int], seed: int) -> Figures:
    """CPU ns per request of an origin for each of these rounds, loaded in turn, in shuffled order."""
    shuffle, used = random.Random(seed), dict.fromkeys(rounds, 0)
    with contextlib.ExitStack() as stack:
        running = {name: stack.enter_context(origin(work)) for name, work in rounds.items()}
        for _ in range(PASSES):
            for name in shuffle.sample(list(rounds), len(rounds)):
                pid, address = running[name]
                before = cpu_ns(pid)
                load(f"http://{address}/", "-c", CONNECTIONS, "-n", REQUESTS, "--cores", generator_core())
                used[name] += cpu_ns(pid) - before
    return {name: total / (PASSES * REQUESTS) for name, total in used.items()}


def calibrate(number: int) -> Figures:
    """What a request costs, and a round."""
    found = costs({"plain_ns": 0, "probe_ns": PROBE_ROUNDS}, number)
    return {**found, "round_ns": (found["probe_ns"] - found["plain_ns"]) / PROBE_ROUNDS}


def true_cost(rounds: dict[str, int], number: int) -> Figures:
    """How much dearer the origins with work are: CPU per request with work ÷ without."""
    found = costs({"plain": 0, **rounds}, number)
    return {"plain_ns": found["plain"], **{name: found[name] / found["plain"] for name in rounds}}


def suite(work_rounds: int) -> str:
    """The origin, and the origin with work."""
    return (
        'name = "sensitivity"\ntitle = "An origin that is dearer by a known amount of work"\n'
        '[arms.plain]\nhops = [{ program = "origin", link = "http+tcp" }]\n'
        '[arms.dearer]\nhops = [{ program = "origin", link = "http+tcp", '
        f"settings = {{ work_rounds = {work_rounds} }} }}]\n"
        '[[experiments]]\nname = "dearer"\nquestion = "Is the work seen?"\nbaseline = "plain"\n'
        'arms = ["plain", "dearer"]\nplacement = "one-core"\nopen_loop = false\n'
    )


def run(name: str, work_rounds: int, number: int) -> Figures:
    """One experiment through hopcost, in the time that the spread of pairs just before it allows."""
    spread = doctor_spread.look().throughput
    budget = budget_s(name, spread)
    experiment, seconds, _ = truth_runs.run(suite(work_rounds), budget, truth_runs.nothing, "--seed", number)
    return {"spread": spread, "budget_s": budget, "seconds": round(seconds, 2), **seen(experiment)}


def seen(experiment: Experiment) -> Figures:
    """What is said of CPU per request in the closed loop; the ratio is 0 where there is none."""
    found = experiment.of("dearer").of("cpu_per_request")
    ratio = found.ratio if found is not None else None
    return {
        "dearer": float(found is not None and found.verdict == "dearer"),
        "negligible": float(found is not None and found.negligible),
        "unknown": float(found is None or found.verdict == "unknown"),
        "ratio": ratio.value if ratio is not None else 0.0,
        "half_width": ratio.half_width() if ratio is not None and ratio.low is not None else -1.0,
        "silent": float(experiment.no_verdicts is not None or bool(experiment.instrument_is_biased)),
    }


def verdict(runs: list[Figures]) -> str:
    """No as soon as too many have missed it."""
    missed = sum(not each["dearer"] for each in runs)
    if missed > RUNS - SEEN_LEAST:
        return "no"
    return "yes" if len(runs) >= RUNS else f"unfinished: {len(runs)} of {RUNS} runs"


def truly(name: str, truths: list[Figures]) -> Interval | None:
    """How much dearer it is by the long runs: the mean over them, 95 %."""
    return mean([each[name] for each in truths])


def is_as_asked(name: str, truths: list[Figures]) -> str:
    """Whether the work costs what it was to cost, within half a point."""
    found = truly(name, truths)
    if len(truths) < TRUTHS or found is None or found.low is None or found.high is None:
        return f"unfinished: {len(truths)} of {TRUTHS} runs"
    asked = 1 + SHARES[name]
    return "yes" if asked - OFF_MOST <= found.low and found.high <= asked + OFF_MOST else "not shown"


def section(done: Sorted) -> tuple[list[str], bool]:
    """The lines of the page, and whether they hold."""
    calibrations, truths = done.of(SECTION, CALIBRATION), done.of(SECTION, TRUTH)
    lines = [
        "# A known difference is seen",
        "",
        "Two arms, the embedded origin and the same with a counted amount of arithmetic before each answer"
        f" (`--work-rounds`), one core for the stack, {CONNECTIONS} connections, closed loop, each run through"
        f" `hopcost run`. It must call the second *dearer* in CPU per request (closed loop) in {SEEN_LEAST} of {RUNS}"
        " runs: of 60 s where it is 5 % dearer; where it is 2 %, of 120 s while the spread of pairs (`hopcost doctor"
        f" --spread`, before each run) is below {QUIET_SPREAD * 100:g} %, else of 240 s. *Negligible* stands where the"
        " whole interval is inside the margin; it is dearer all the same.",
        "",
        "What the work costs is calibrated and then measured apart: origins that are never frozen, loaded in turn"
        f" with {REQUESTS:,} requests at a time, their process CPU clocks read before and after.",
        "",
    ]
    if calibrations:
        lines += [
            f"Calibration, {len(calibrations)} of {CALIBRATIONS} done: a request costs"
            f" {median(calibrations, 'plain_ns') / 1e3:.2f} µs, a round {median(calibrations, 'round_ns'):.2f} ns.",
            "",
        ]
    lines += [
        "| dearer by | rounds | truly | that is as asked | done | seen as dearer | negligible | ratio in these runs |"
        " ± | spread of pairs | seconds | holds |",
        "| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    words = []
    for name, share in SHARES.items():
        runs = done.of(SECTION, name)
        found = truly(name, truths)
        rounds = str(rounds_for(share, calibrations)) if len(calibrations) >= CALIBRATIONS else ""
        cells = [name, rounds, _interval(found), is_as_asked(name, truths), f"{len(runs)} of {RUNS}"]
        known = [each for each in runs if each["ratio"] > 0]
        cells.append(str(int(sum(each["dearer"] for each in runs))))
        cells.append(str(int(sum(each["negligible"] for each in runs))))
        if known:
            cells += [f"{median(known, 'ratio'):.4f}", f"{median(known, 'half_width') * 100:.1f} %"]
            cells += [f"{median(known, 'spread') * 100:.1f} %", f"{max(each['seconds'] for each in known):.0f} at most"]
        else:
            cells += [""] * 4
        words += [verdict(runs), is_as_asked(name, truths)]
        lines.append(row([*cells, verdict(runs)]))
    return [*lines, "", *aside(done)], all(word == "yes" for word in words)


def _interval(found: Interval | None) -> str:
    if found is None or found.low is None or found.high is None:
        return ""
    return f"{found.value:.4f} [{found.low:.4f}, {found.high:.4f}]"
