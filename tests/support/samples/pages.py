"""HTML reports of records, also of hostile ones."""

from __future__ import annotations

import msgspec
from samples.blocks import broke_off, plain_block, sound_block
from samples.records import plan_of, record

from hopcost.plan.plan import Point
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.run import Record
from hopcost.report import Format, render
from hopcost.report.record_report import record_report
from hopcost.statistics.summary.summary import summarise

HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">{{ 7*7 }}"


def rendered(content: Record) -> str:
    return render(record_report(content, summarise(content)), Format.HTML)


def loaded() -> Record:
    """Blocks with an open loop, one of them void."""
    blocks = [sound_block(number) for number in range(6)]
    blocks[2].validity, blocks[2].reasons = Validity.VOID, [broke_off("the machine stood still")]
    return record(*blocks, plan=plan_of(quick=False))


def hostile() -> Record:
    """Everything that a suite, a server or a person may have written is an attack."""
    content = loaded()
    plan = content.plan
    (experiment,) = plan.experiments
    arms = [
        msgspec.structs.replace(arm, arm=msgspec.structs.replace(arm.arm, title=HOSTILE)) for arm in experiment.arms
    ]
    experiment = msgspec.structs.replace(
        experiment, question=HOSTILE, arms=arms, notes=[HOSTILE], published_conditions=HOSTILE
    )
    content.plan = msgspec.structs.replace(plan, title=HOSTILE, analysis=HOSTILE, experiments=[experiment])
    content.run.command = ["hopcost", "run", HOSTILE]
    content.environment = {"cpu": HOSTILE, "programs": {HOSTILE: HOSTILE}, "allowed_cores": [0, 1]}
    content.warnings = [HOSTILE]
    for block in content.blocks:
        block.reasons = [broke_off(HOSTILE)]
        block.validity = Validity.SUSPECT
    return content


def swept() -> Record:
    """A sweep of three values."""
    plan = plan_of()
    (experiment,) = plan.experiments
    points = [
        msgspec.structs.replace(
            experiment, name=f"cost@{value}", point=Point(experiment="cost", key="workload.connections", value=value)
        )
        for value in (10, 100, 1000)
    ]
    blocks = []
    for number, point in enumerate(points):
        for step in range(4):
            block = plain_block(step, 1000, 1000, 400 + 100 * number + step)
            block.experiment = point.name
            blocks.append(block)
    return record(*blocks, plan=msgspec.structs.replace(plan, experiments=points))


def nine() -> Record:
    """Nine experiments: as many as a full record of the largest suite has."""
    content = loaded()
    (experiment,) = content.plan.experiments
    names = [f"cost-{number}" for number in range(1, 10)]
    content.plan = msgspec.structs.replace(
        content.plan, experiments=[msgspec.structs.replace(experiment, name=name) for name in names]
    )
    blocks = content.blocks
    content.blocks = [msgspec.structs.replace(block, experiment=name) for name in names for block in blocks]
    return content
