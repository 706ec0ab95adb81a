"""docs/truth.md out of the kept lines. It runs nothing."""

from __future__ import annotations

from pathlib import Path

from hopcost.machine import facts
from tools.markdown import table
from tools.truth.lines import FOLDER, FOREIGN_MOST, ROOT, STEAL_MOST, this_machine
from tools.truth.part import Section
from tools.truth.runs import VERDICTS_STEAL_MOST
from tools.truth.sections.alarms import Alarms
from tools.truth.sections.attribution import Attribution
from tools.truth.sections.engine.section import Engine
from tools.truth.sections.precision import Precision
from tools.truth.sections.procedure import Procedure
from tools.truth.sections.sensitivity import Sensitivity
from tools.truth.sections.slices import Slices

PAGE = ROOT / "docs" / "truth.md"
SECTIONS: dict[str, type[Section]] = {
    "engine": Engine,
    "attribution": Attribution,
    "false-alarms": Alarms,
    "sensitivity": Sensitivity,
    "precision": Precision,
    "slices": Slices,
    "procedure": Procedure,  # draws from what the others have recorded
}


def page(folder: Path = FOLDER) -> tuple[str, bool]:
    """The page of the lines kept in a folder, and whether every line on it holds."""
    head = [
        "# Whether hopcost tells the truth",
        "",
        f"Written by `make truth`; {facts.cpu_model()}, {len(facts.allowed_cores())} cores, Linux"
        f" {this_machine().kernel}. Every run is kept as a line in [truth](truth) with the engine, the"
        " machine and the settings that it was made with; lines of others are set aside. A run is set aside, and done"
        f" again, where programs of others took more than {FOREIGN_MOST * 100:g} % of the machine's CPU"
        f" time meanwhile, or the hypervisor says that it kept more than {STEAL_MOST * 100:g} % of a core"
        f" ({VERDICTS_STEAL_MOST * 100:g} % where verdicts are on trial: hopcost's own limit for a block); never for"
        " what it said. Where the runs that are left could not change the answer, they are not made. `make truth` goes"
        " on where it stopped; `.venv/bin/python -m tools.truth --only SECTION --at-most-s N` does a part.",
        "",
    ]
    bodies, rows, everything = [], [], True
    for name, kind in SECTIONS.items():
        section = kind(folder)
        done = section.kept.done()
        body, holds = section.page(done)
        bodies += [f"#{line}" if line.startswith("#") else line for line in body]
        rows.append([name, *standing(len(done.used), section.kept.left(), holds)])
        everything = everything and holds
    listed = table(["section", "runs done:", "all of it holds"], rows)
    return "\n".join([*head, listed, "", *bodies]).rstrip() + "\n", everything


def standing(used: int, left: int, holds: bool) -> tuple[str, str]:
    """How many runs are done of those that are wanted, and in a word what has come of it.

    >>> standing(20, 0, True), standing(20, 0, False), standing(3, 17, False)
    (('20 of 20 done', 'yes'), ('20 of 20 done', 'no'), ('3 of 20 done', 'unfinished'))
    """
    return f"{used} of {used + left} done", "unfinished" if left else "yes" if holds else "no"
