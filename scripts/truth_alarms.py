"""False alarms: arms that are the same as the baseline, through whole runs of hopcost. A section of docs/truth.md."""

from __future__ import annotations

from functools import partial

import truth_runs
from truth_kept import Kept, aside
from truth_lines import FOLDER, Case, Figures, Sorted, row
from truth_runs import SPEEDS, Experiment

SECTION = "alarms"
BUDGET_S = 20.0
DIRECTIONAL_MOST, EXCLUDES_MOST = 2, 10
# Who answers, and how many arms stand beside the baseline: experiments of each.
KINDS = {("origin", 1): 35, ("origin", 2): 35, ("nginx", 1): 15, ("nginx", 2): 15}
ANSWERS = {"origin": "the embedded origin", "nginx": "nginx, a fixed answer"}


def cases() -> list[Case]:
    """100 experiments."""
    found = []
    for (program, beside), runs in KINDS.items():
        settings: dict[str, object] = {"budget_s": BUDGET_S, "beside": beside, "method": truth_runs.method()}
        found.append(Case(SECTION, f"{program} beside {beside}", partial(run, program, beside), runs, settings))
    return found


KEPT = Kept(FOLDER / "alarms.jsonl", cases)


def suite(program: str, beside: int) -> str:
    """A baseline, and arms that are the same."""
    names = ["base", *(f"same-{number + 1}" for number in range(beside))]
    arms = "".join(f'[arms.{name}]\nhops = [{{ program = "{program}", link = "http+tcp" }}]\n' for name in names)
    listed = ", ".join(f'"{name}"' for name in names)
    return (
        f'name = "alarms"\ntitle = "The same server several times"\n{arms}[[experiments]]\nname = "same"\n'
        f'question = "Is a difference seen where there is none?"\nbaseline = "base"\narms = [{listed}]\n'
        'placement = "one-core"\nopen_loop = false\n'
    )


def run(program: str, beside: int, number: int) -> Figures:
    """One experiment: what it says of arms that do not differ."""
    experiment, seconds, _ = truth_runs.run(suite(program, beside), BUDGET_S, truth_runs.nothing, "--seed", number)
    return {**counted(experiment), "seconds": round(seconds, 2), "blocks": experiment.blocks}


def counted(experiment: Experiment) -> Figures:
    """By figure of the closed loop: comparisons, intervals without 1, verdicts beyond the margin, and those unknown.

    `other_` counts the same over all that stands in the report besides: hops apart, response times, loads of the open
    loop.
    """
    figures: Figures = {"silent": float(experiment.no_verdicts is not None or bool(experiment.instrument_is_biased))}
    groups = {name: [arm.of(name) for arm in experiment.others()] for name in SPEEDS}
    taken = [id(each) for group in groups.values() for each in group]
    groups["other"] = [each for arm in experiment.others() for each in arm.comparisons if id(each) not in taken]
    for name, found in groups.items():
        known = [each for each in found if each is not None and each.ratio is not None]
        figures[f"{name}_comparisons"] = len(known)
        figures[f"{name}_excludes"] = sum(each.ratio is not None and each.ratio.excludes_one() for each in known)
        figures[f"{name}_directional"] = sum(each.beyond_the_margin() for each in known)
        figures[f"{name}_unknown"] = sum(each is not None and each.verdict == "unknown" for each in found)
    return figures


def directional(figures: Figures) -> int:
    """Verdicts beyond the margin on throughput and CPU per request."""
    return int(sum(figures[f"{name}_directional"] for name in SPEEDS))


def has_excluded(figures: Figures, *names: str) -> bool:
    """Whether one of these figures has an interval without 1 in this experiment."""
    return any(figures[f"{name}_excludes"] > 0 for name in names)


def verdict(runs: list[Figures], wanted: int) -> str:
    """No as soon as there are too many; yes when all are done."""
    too_many = (
        sum(map(directional, runs)) > DIRECTIONAL_MOST
        or sum(has_excluded(each, *SPEEDS) for each in runs) > EXCLUDES_MOST
    )
    if too_many:
        return "no"
    return "yes" if len(runs) >= wanted else f"unfinished: {len(runs)} of {wanted} runs"


def section(done: Sorted) -> tuple[list[str], bool]:
    """The lines of the page, and whether they hold."""
    every, wanted = [figures for case in cases() for figures in done.of(SECTION, case.name)], sum(KINDS.values())
    lines = [
        "# False alarms",
        "",
        f"Experiments of {BUDGET_S:g} s (`hopcost run SUITE --budget {BUDGET_S:g}`), one core for the stack, without"
        " the open loop, whose arms are all the same server: the baseline, one or two arms beside it, and the"
        " baseline's second run that every experiment has. Counted are the comparisons of the arms beside with the"
        " baseline in the closed loop, throughput and CPU per request; of each experiment's second run of the"
        " baseline only whether it took the verdicts away. *Directional*: verdicts of faster, slower, cheaper or"
        f" dearer that are not called negligible; at most {DIRECTIONAL_MOST} in all. *Without 1*: experiments in which"
        f" at least one interval of that figure excludes 1; at most {EXCLUDES_MOST} of {wanted}, a figure's intervals"
        " being meant to err together in 5 of 100.",
        "",
        "| who answers | arms beside | done | directional: throughput | CPU | without 1: throughput | CPU | one or"
        " the other | verdicts: unknown | runs without verdicts |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for ((program, beside), runs), case in zip(KINDS.items(), cases(), strict=True):
        lines.append(row([ANSWERS[program], str(beside), *_cells(done.of(SECTION, case.name), runs)]))
    lines.append(row(["together", "", *_cells(every, wanted)]))
    word = verdict(every, wanted)
    lines += ["", f"Holds: {word}."]
    if every:
        other = [
            int(sum(each[f"other_{name}"] for each in every)) for name in ("comparisons", "excludes", "directional")
        ]
        longest = max(each["seconds"] for each in every)
        lines += [
            f"The longest run took {longest:.1f} s with starting and reporting. Of {other[0]} other comparisons (hops"
            f" apart, the open loop) {other[1]} excluded 1, and {other[2]} were directional.",
        ]
    return [*lines, "", *aside(done)], word == "yes"


def _cells(runs: list[Figures], wanted: int) -> list[str]:
    directional_of = [int(sum(each[f"{name}_directional"] for each in runs)) for name in SPEEDS]
    excluding = [sum(has_excluded(each, name) for each in runs) for name in SPEEDS]
    unknown = int(sum(each[f"{name}_unknown"] for each in runs for name in SPEEDS))
    of = int(sum(each[f"{name}_comparisons"] for each in runs for name in SPEEDS))
    return [
        f"{len(runs)} of {wanted}",
        *map(str, directional_of),
        *map(str, excluding),
        str(sum(has_excluded(each, *SPEEDS) for each in runs)),
        f"{unknown} of {of}",
        str(int(sum(each["silent"] for each in runs))),
    ]
