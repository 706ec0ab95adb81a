"""Other programs' share of the cores: valid, suspect or void, and who they were."""

from __future__ import annotations

import msgspec
import pytest
from samples import blocks as sample
from samples.blocks import MS
from samples.forgeries import EXPERIMENT

from hopcost.plan.cores import Cores
from hopcost.record.contents.block import Block
from hopcost.record.contents.evidence import GeneratorConditions, OtherProgram
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.statistics.validity.block import judge_block
from hopcost.statistics.validity.reasons import sentences


def disturbed(share: float, others: list[OtherProgram] | None = None) -> Block:
    """A sound block beside programs that took this share of its two cores, over all its loads."""
    block = sample.sound_block()
    assert block.end is not None and block.open_ends
    elapsed_ns = block.end.elapsed_ns + sum(end.elapsed_ns for end in block.open_ends)
    block.foreign_cpu_ns = round(share * elapsed_ns * 2)
    block.others = others or []
    return block


@pytest.mark.parametrize(
    ("share", "verdict"), [(0.0, "valid"), (0.029, "valid"), (0.031, "suspect"), (0.099, "suspect"), (0.101, "void")]
)
def test_from_three_percent_a_block_is_suspect_and_above_ten_void(share: float, verdict: str) -> None:
    validity, reasons, _ = judge_block(disturbed(share), EXPERIMENT)
    assert validity == verdict
    assert bool(reasons) == (verdict != "valid")


def test_with_anyway_a_block_is_no_more_than_suspect() -> None:
    assert judge_block(disturbed(0.5), EXPERIMENT, on_busy_machine=True)[0] == "suspect"


def test_the_reason_names_those_that_took_most() -> None:
    programs = [OtherProgram("pytest", 6902, 4000 * MS), OtherProgram("cargo", 81, 2000 * MS)]
    programs.append(OtherProgram("shell", 7, 10 * MS))
    _, reasons, _ = judge_block(disturbed(0.35, programs), EXPERIMENT)
    (reason,) = reasons
    assert reason == Reason(ReasonKind.OTHER_PROGRAMS, value=reason.value, programs=programs[:2])
    assert reason.value == pytest.approx(0.35)


def test_programs_that_took_next_to_nothing_are_not_blamed() -> None:
    _, reasons, _ = judge_block(disturbed(0.35, [OtherProgram("shell", 7, 10 * MS)]), EXPERIMENT)
    assert [reason.programs for reason in reasons] == [[]]


TWO_MACHINES = msgspec.structs.replace(
    EXPERIMENT, cores=Cores(stack=[0, 1], generator=[0, 1], generator_machine="bench-2")
)


def with_generator(**own: int) -> Block:
    """A sound block whose generator's machine did this in ten seconds, on two cores."""
    block = disturbed(0.0)
    values = {"elapsed_ns": 10_000 * MS, "foreign_cpu_ns": 0, "steal_ns": 0, "throttled_ns": 0, "swapped_pages": 0}
    block.generators["bench-2"] = GeneratorConditions(**(values | own), others=[OtherProgram("cron", 7, 4000 * MS)])
    return block


@pytest.mark.parametrize(
    ("own", "verdict", "kind"),
    [
        ({}, "valid", None),
        ({"foreign_cpu_ns": 1_000 * MS}, "suspect", ReasonKind.OTHER_PROGRAMS),
        ({"foreign_cpu_ns": 4_000 * MS}, "void", ReasonKind.OTHER_PROGRAMS),
        ({"steal_ns": 10_000 * MS}, "void", ReasonKind.STEAL),
        ({"throttled_ns": 9_000 * MS}, "void", ReasonKind.QUOTA),
        ({"swapped_pages": 1_000_000}, "void", ReasonKind.SWAPPING),
    ],
)
def test_the_generators_machine_is_judged_alike(own: dict[str, int], verdict: str, kind: ReasonKind | None) -> None:
    validity, reasons, _ = judge_block(with_generator(**own), TWO_MACHINES)
    assert validity == verdict
    assert [(reason.kind, reason.machine) for reason in reasons] == ([] if kind is None else [(kind, "bench-2")])


def test_of_several_generators_machines_each_is_judged_alone() -> None:
    block = with_generator()
    block.generators["bench-3"] = with_generator(steal_ns=10_000 * MS).generators["bench-2"]
    validity, reasons, _ = judge_block(block, TWO_MACHINES)
    assert validity == "void"
    assert [(reason.kind, reason.machine) for reason in reasons] == [(ReasonKind.STEAL, "bench-3")]


def test_its_reasons_name_it() -> None:
    _, reasons, _ = judge_block(with_generator(foreign_cpu_ns=4_000 * MS), TWO_MACHINES)
    assert sentences(reasons) == ["on bench-2: other programs used 20 % of the CPU: cron (pid 7)"]


def test_the_stacks_machine_has_the_stacks_cores_alone() -> None:
    """Half of one core of one: with the generator's cores counted in it would look like less."""
    one = msgspec.structs.replace(EXPERIMENT, cores=Cores(stack=[0], generator=[0, 1], generator_machine="bench-2"))
    _, reasons, _ = judge_block(disturbed(0.25), one)
    assert [reason.value for reason in reasons] == [pytest.approx(0.5)]
