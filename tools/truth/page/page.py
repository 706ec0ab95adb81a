"""docs/explain/truth.md out of the kept lines: first in words, then section by section. It runs nothing."""

from __future__ import annotations

from pathlib import Path

import msgspec

from hopcost.plan.method import METHOD
from tools.markdown import fill, table
from tools.truth.form import Form
from tools.truth.lines import FOLDER, FOREIGN_MOST, STEAL_MOST, Line, path_of, read
from tools.truth.made_with import NAMELESS_METHOD, ROOT, Machine, engine_digest, this_machine
from tools.truth.page.in_words import NOT_MEASURED, told, why_unfinished
from tools.truth.page.part import Section
from tools.truth.runs import VERDICTS_STEAL_MOST
from tools.truth.sections.agreement.beside_wrk import BesideWrk
from tools.truth.sections.agreement.between_hours import BetweenHours
from tools.truth.sections.agreement.precision import Precision
from tools.truth.sections.agreement.quick_full import QuickFull
from tools.truth.sections.agreement.slices import Slices
from tools.truth.sections.agreement.split_half import SplitHalf
from tools.truth.sections.attribution import Attribution
from tools.truth.sections.capacity.coverage import CapacityCoverage
from tools.truth.sections.capacity.section import Capacity
from tools.truth.sections.changes.section import ChangePoints
from tools.truth.sections.conf.planted import Planted
from tools.truth.sections.coverage.section import Coverage
from tools.truth.sections.engine.section import Engine
from tools.truth.sections.machines.edges import AgentEdges
from tools.truth.sections.machines.generators import SeveralGenerators
from tools.truth.sections.neighbours import Neighbours
from tools.truth.sections.same.aa import SameProxies
from tools.truth.sections.same.alarms import Alarms
from tools.truth.sections.same.procedure import Procedure
from tools.truth.sections.same.same_p99 import SameP99
from tools.truth.sections.sensitivity.never_same import NeverSame
from tools.truth.sections.sensitivity.on_real_noise import KnownDifference
from tools.truth.sections.sensitivity.section import Sensitivity
from tools.truth.sections.versus.not_freezing import NotFreezing
from tools.truth.sections.versus.own_aa import OwnAa

PAGE = ROOT / "docs" / "explain" / "truth.md"
OLDER = f"method-{NAMELESS_METHOD}.md"  # beside the folder of the kept lines: the page as it was by that method
HEAD = [
    "# Whether hopcost tells the truth",
    "",
    "hopcost is held against what is known: a server that logs its own times, servers of which one does a counted"
    " amount of work more, servers that are the same, and simulated records. Each line says what ought to be so, and"
    " how many checks hold. What does not hold stands beside it, with its figures; a *no* is a bar set beforehand"
    " and missed. The sections below have every check and its bar.",
    "",
]
SECTIONS: dict[str, type[Section]] = {
    "engine": Engine,
    "attribution": Attribution,
    "same-proxies": SameProxies,
    "same-p99": SameP99,
    "false-alarms": Alarms,
    "sensitivity": Sensitivity,
    "never-same": NeverSame,
    "neighbours": Neighbours,
    "precision": Precision,
    "beside-wrk": BesideWrk,
    "quick-full": QuickFull,
    "slices": Slices,
    "between-hours": BetweenHours,
    "agent-edges": AgentEdges,
    "several-generators": SeveralGenerators,
    "own-aa": OwnAa,
    "not-freezing": NotFreezing,
    "conf": Planted,
    "capacity": Capacity,
    "capacity-coverage": CapacityCoverage,  # is reckoned, not measured
    "coverage": Coverage,  # is reckoned, not measured
    "change-points": ChangePoints,  # is reckoned, not measured
    "procedure": Procedure,  # draws from what the others have recorded
    "known-difference": KnownDifference,  # draws from what the others have recorded
    "split-half": SplitHalf,  # reads what the others have recorded
}


class Standing(msgspec.Struct):
    """What the page says of a section: in words, in the table of what was run, and in its own place."""

    words: str
    cells: list[str]
    body: list[str]
    holds: bool


def page(folder: Path = FOLDER, form: Form = Form.FULL) -> str:
    """The page of the lines kept in a folder: of each section, the fullest that is kept."""
    older = sections_of(folder / OLDER)
    standings = {name: standing_of(section_to_show(kind, folder, form), older) for name, kind in SECTIONS.items()}
    words = [f"- {standing.words}" for standing in standings.values()]
    bodies = [line for standing in standings.values() for line in standing.body]
    listed = table(
        ["section", "method:", "form", "runs", "machine"],
        [[name, *standing.cells] for name, standing in standings.items()],
    )
    lines = [*HEAD, *words, "", *bodies, "## How this page is made", "", *_making(folder, form), listed]
    return fill("\n".join(lines))


def of_this_machine(folder: Path = FOLDER, form: Form = Form.FULL) -> tuple[str, bool]:
    """What the lines of this machine alone say, in words; and whether every section of this form holds."""
    sections = [in_form(kind, folder, form, this_machine()) for kind in SECTIONS.values()]
    wanted = [section for section in sections if form == Form.FULL or section.short_s is not None]
    standings = [standing_of(section, {}) for section in wanted]
    words = fill("\n".join(f"- {standing.words}" for standing in standings))
    return words, all(standing.holds for standing in standings)


def standing_of(section: Section, older: dict[str, list[str]]) -> Standing:
    """A section by its lines of this method; if there is none, what the older page says of it."""
    done = section.kept.done()
    body, holds = section.page(done)
    if not done.used and section.heading in older:
        note = (
            f"*By method {NAMELESS_METHOD}, on the machine that [its page](truth/{OLDER}) names. Method"
            f" {METHOD.number} has measured nothing here yet.*"
        )
        words = f"{told(section.asks, section.tells, older[section.heading])} (Method {NAMELESS_METHOD}.)"
        cells = [str(NAMELESS_METHOD), "", "of an older method", ""]
        return Standing(words, cells, [f"#{section.heading}", "", note, *older[section.heading]], False)
    used, left = len(done.used), section.kept.left()
    words = f"{told(section.asks, section.tells, body)} {section.adds(done)}".strip()
    why = f"{used} of {used + left} runs" if left else why_unfinished(body)
    if used and why is not None:
        words = f"{words.removesuffix(NOT_MEASURED)} Not finished: {why}."
    cells = [
        str(METHOD.number),
        section.form.value,
        f"{used} of {used + left} done",
        section.kept.machine.words if used else "",
    ]
    lines = [f"#{line}" if line.startswith("#") else line for line in body]
    return Standing(words, cells, [*lines, ""], holds and not left)


def section_to_show(kind: type[Section], folder: Path, form: Form) -> Section:
    """This machine's, if its full form is whole; else that of the machine with the most runs."""
    here = this_machine()
    machines = {line.machine for line in read(path_of(kind.key, folder), Line)} - {here}
    sections = [in_form(kind, folder, form, machine) for machine in [here, *sorted(machines, key=str)]]
    if not kind(folder, Form.FULL, here).kept.left():
        return sections[0]
    return max(sections, key=lambda section: len(section.kept.done().used))


def in_form(kind: type[Section], folder: Path, form: Form, machine: Machine) -> Section:
    """The short form if it is asked for and nothing beyond it is kept. A section without a short form has but one."""
    full = kind(folder, Form.FULL, machine)
    if form == Form.FULL or kind.short_s is None:
        return full
    short = kind(folder, Form.SHORT, machine)
    return short if len(short.kept.done().used) >= len(full.kept.done().used) else full


def sections_of(path: Path) -> dict[str, list[str]]:
    """The lines below each heading of an older page; none if it is not there.

    Headings have one `#` fewer, as sections give them.
    """
    sections: dict[str, list[str]] = {}
    below: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        if line.startswith("## "):
            below = sections.setdefault(line.removeprefix("#"), [])
        else:
            below.append(line)
    return sections


def _making(folder: Path, form: Form) -> list[str]:
    asked = "`make truth-short`, an hour at most" if form == Form.SHORT else "`make truth`"
    return [
        f"Written by {asked}, for method {METHOD.number}, engine {METHOD.engine} (sources {engine_digest()}).",
        *_of_older_methods(folder),
        "",
        "Every run is kept as a line in [truth](truth), with the method, the engine's sources, the machine and the"
        " settings that it was made with. A section is of one machine: of the one where the page is written if its full"
        " form is whole there, else of the one with the most runs. Runs are never mixed. A run is set aside, and done"
        f" again, if programs of others took more than {FOREIGN_MOST * 100:g} % of the machine's CPU time meanwhile, or"
        f" the hypervisor says that it kept more than {STEAL_MOST * 100:g} % of a core"
        f" ({VERDICTS_STEAL_MOST * 100:g} % where verdicts are on trial: hopcost's own limit for a block). It is never"
        " set aside for what it said. Runs that could not change an answer are not made.",
        "",
        "`make truth` and `make truth-short` go on where they stopped. `.venv/bin/python -m tools.truth --only SECTION"
        " --at-most-s N` does a part. The short form has fewer runs of fewer cases, and those count in the full form"
        " too.",
        "",
    ]


def _of_older_methods(folder: Path) -> list[str]:
    """How many kept lines are of which other method."""
    counts: dict[int, int] = {}
    for path in sorted(path_of("*", folder).parent.glob("*.jsonl")):
        for line in read(path, Line):
            counts[line.engine.method] = counts.get(line.engine.method, 0) + 1
    counts.pop(METHOD.number, None)
    if not counts:
        return []
    listed = ", ".join(f"{count:,} of method {method}" for method, count in sorted(counts.items()))
    return [
        f"Older lines are kept and count no longer: {listed}. [The page of method"
        f" {NAMELESS_METHOD}](truth/{OLDER}) stands beside this one."
    ]
