"""A record that has everything, and reports of it."""

from __future__ import annotations

import msgspec
from samples.blocks import MS, block, part, plain_block, slice_of
from samples.records import plan_of, record

from hopcost.plan.plan import LeftOut
from hopcost.programs.generators.engine_lines import Validity
from hopcost.record.contents.block import Block, Failure
from hopcost.record.contents.reason import Reason, ReasonKind
from hopcost.record.contents.run import Record
from hopcost.report import Format, render
from hopcost.report.record_report import record_report
from hopcost.statistics.summary.summary import summarise

FORMATS = {"txt": Format.TEXT, "md": Format.MARKDOWN}  # by the endings of golden files; others are alike


def rendered(format: str, content: Record) -> str:
    return render(record_report(content, summarise(content)), FORMATS.get(format) or Format(format))


def full_block(
    number: int, behind: int, validity: Validity = Validity.VALID, reasons: tuple[Reason | str, ...] = ()
) -> Block:
    """Round figures in every column: 10,000/s direct, errors and an unanswered tail behind the proxy."""
    direct = part(
        slice_of("direct", 1000, cpu_ns={"app": 40 * MS}, generator_cpu_ns=8 * MS),
        service_time_ns=(900_000,) * 99 + (4_000_000,) * 1,
    )
    proxied = part(
        slice_of(
            "behind",
            behind,
            cpu_ns={"proxy": 50 * MS, "app": 20 * MS},
            generator_cpu_ns=4 * MS,
            outside_ns=14_000,
            errors={"timeout": 2, "status": 1200},
        ),
        service_time_ns=(2_000_000,) * 97,
        unanswered_ns=(30_000_000,) * 3,
        header_bytes=163,
        warmed_up=(50, 50, 50, 50, 50, 50, 100, 100) if number == 0 else (1, 2, 3),
    )
    again = part(slice_of("direct-aa", 1010 - 10 * number, cpu_ns={"app": 40 * MS}))
    beside = [part(slice_of("beside", 995), service_time_ns=(1_000_000,))] if number else []
    return block(
        number, direct, proxied, again, *beside, validity=validity, reasons=reasons, harness_cpu_ns=300_000
    )  # fmt: skip


def everything() -> Record:
    """A record in which every line that a report knows has something to say."""
    plan = plan_of(quick=False)
    experiment = msgspec.structs.replace(
        plan.experiments[0],
        left_out=[LeftOut(name="beyond", reason="'far' is not installed", remedy="apt-get install far")],
        notes=["too few cores for the published conditions: 2 here, 8 needed (it had eight)"],
    )
    plan = msgspec.structs.replace(
        plan, experiments=[experiment], left_out=[LeftOut(name="wide", reason="one core to give")]
    )
    printed = "under load: app ended by signal 11; its last lines:\npanic: no more memory\n\tgoroutine 7 [running]:"
    failed = block(
        3,
        validity=Validity.VOID,
        reasons=("the engine was killed by signal 9",),
        failures=(Failure(arm="beside", message=printed, hint="see the command with `hopcost show`"),),
    )
    return record(
        full_block(0, behind=400),
        full_block(1, behind=440),
        full_block(2, behind=420, validity=Validity.SUSPECT, reasons=(Reason(ReasonKind.OTHER_PROGRAMS, value=0.04),)),
        failed,
        plan=plan,
        warnings=["records/made-up/blocks.jsonl: line 5 is cut off; read up to it"],
    )


def failing(message: str, arm: str = "behind") -> Record:
    return record(block(0, *plain_block(0).arms, failures=(Failure(arm=arm, message=message),)))
