"""The suite of a configuration: one experiment for each phase, each arm the user's files with some edits. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from hopcost.measure.protocols.conf.plan import AppStack, ConfPlan, joined
from hopcost.measure.protocols.front.suite import together
from hopcost.nginx.edits import Edit
from hopcost.plan.groups import split
from hopcost.statistics.questions.conf.question import AS_IS, CONFIRMED, MENDS, WHOLE, ConfQuestion, Screening
from hopcost.suites.arms.arm import COPY_SUFFIX, Arm, Hop
from hopcost.suites.arms.configuration import Configuration
from hopcost.suites.experiments.experiment import Experiment, Placement
from hopcost.suites.experiments.workload import Workload
from hopcost.suites.read import complete_suite
from hopcost.suites.suite import Suite

REFERENCE = 2  # the file as it is, and its second run
APP = "app"  # the user's, as the suite calls it


class Phase(msgspec.Struct, frozen=True):
    """An experiment: its arms with their edits, the baseline first; before the user's app, else the embedded origin."""

    name: str
    question: str
    arms: dict[str, list[Edit]]
    app_stack: AppStack | None = None


def screening_phase(plan: ConfPlan, screening: Screening) -> Phase:
    """The phase of a screening; the second run of its first arm comes by itself."""
    fixed = plan.edits_of(screening.fixed)
    own = [arm for arm in screening.arms if not arm.name.endswith(COPY_SUFFIX)]
    arms = {arm.name: joined(fixed, plan.edits_of(arm.changes)) for arm in own}
    return Phase(screening.experiment, f"What do they cost: {', '.join(screening.changes)}?", arms)


def confirming_phases(plan: ConfPlan, question: ConfQuestion) -> list[Phase]:
    """The confirmation; in several experiments if the app would drop connections while many arms take turns."""
    arms = {name: plan.edits[name] for name in question.confirmed}
    if question.mends:
        arms[MENDS] = plan.mends
    if question.has_whole:
        arms[WHOLE] = joined(plan.edits_of(question.whole), plan.mends)
    idle_s = None if plan.app_stack is None else plan.app_stack.app.idle_timeout_s
    most = together(idle_s, plan.screened.workload.connections, quick=plan.is_quick) - REFERENCE
    most = most + 1 if idle_s is None else most  # three changes, the traps and the whole diff fit beside each other
    groups = split(list(arms), most) if most > 0 else [list(arms)]
    return [
        Phase(
            CONFIRMED if number == 1 else f"{CONFIRMED}-{number}",
            f"What do they cost, one at a time: {', '.join(group)}?",
            {AS_IS: []} | {name: arms[name] for name in group},
            app_stack=plan.app_stack,
        )
        for number, group in enumerate(groups, start=1)
        if group
    ]


def whole_suite(plan: ConfPlan, phases: Sequence[Phase]) -> Suite:
    """The suite of these phases as a run wants it: checked, with whole hops."""
    return complete_suite(conf_suite(plan, phases), Path(plan.screened.configuration.file).parent / "conf")


def conf_suite(plan: ConfPlan, phases: Sequence[Phase]) -> Suite:
    """The suite of these phases; an arm that several have is the same in each."""
    configurations: dict[str, Configuration] = {}
    arms: dict[str, Arm] = {}
    for phase in phases:
        behind, _ = _behind(phase, plan)
        for name, edits in phase.arms.items():
            configurations[name] = plan.screened.edited(edits)
            hops = [Hop(program=name, link=plan.link_of(edits)), *([behind] if behind is not None else [])]
            arms[name] = Arm(hops=hops, title=_title(plan.question, name))
    return Suite(
        name="conf",
        title=f"What the directives of {plan.question.file} cost"[:200],
        apps={} if plan.app_stack is None else {APP: plan.app_stack.app},
        configurations=configurations,
        arms=arms,
        experiments=[_experiment(phase, plan) for phase in phases],
    )


def _experiment(phase: Phase, plan: ConfPlan) -> Experiment:
    names = list(phase.arms)
    _, workload = _behind(phase, plan)
    return Experiment(
        name=phase.name,
        question=phase.question,
        baseline=names[0],
        arms=names,
        placement=Placement.ONE_CORE,
        workload=workload,
        open_loop=False,
    )


def _behind(phase: Phase, plan: ConfPlan) -> tuple[Hop | None, Workload]:
    """What is behind the site in a phase, and what it is asked."""
    if phase.app_stack is not None:
        return phase.app_stack.hop, phase.app_stack.workload
    return plan.screened.origin, plan.screened.workload


def _title(question: ConfQuestion, name: str) -> str:
    return next((candidate.words for candidate in question.candidates if candidate.name == name), "")
