"""The answer of the verb that made a record, out of the question that the record keeps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from hopcost.errors import UsageError
from hopcost.record.contents.question import Verb
from hopcost.record.contents.run import Record
from hopcost.report import Result


def kept_diff(record: Record) -> str:
    """The diff of an answer on an nginx.conf, as `patch -p0` takes it; UsageError if the record has none."""
    from hopcost.report.questions.conf.words import diff_text
    from hopcost.statistics.questions.conf.question import ConfQuestion
    from hopcost.statistics.questions.conf.result import read_conf

    kept = record.question
    if kept is None or kept.verb is not Verb.CONF:
        raise UsageError(f"{record.path}: no diff: only records of hopcost conf have one", "hopcost conf nginx.conf")
    with _damaged(record):
        diff = diff_text(read_conf(msgspec.json.decode(kept.content, type=ConfQuestion), record))
    if diff is None:
        raise UsageError(f"{record.path}: no diff: no change of it is worth one", f"hopcost report {record.path}")
    return diff


def kept_answer(record: Record, *, details: bool = False) -> Result | None:
    """The answer as the verb printed it; None if the record keeps no question. UsageError for a damaged one.

    Only what the verb needs is imported: reports of other records load no distributions.
    """
    kept = record.question
    if kept is None:
        return None
    with _damaged(record):
        match kept.verb:
            case Verb.FRONT:
                from hopcost.report.questions.front import front_report
                from hopcost.statistics.questions.front.question import FrontQuestion
                from hopcost.statistics.questions.front.result import read_front

                question = msgspec.json.decode(kept.content, type=FrontQuestion)
                return front_report(read_front(question, record), details=details)
            case Verb.CONF:
                from hopcost.report.questions.conf import conf_report
                from hopcost.statistics.questions.conf.question import ConfQuestion
                from hopcost.statistics.questions.conf.result import read_conf

                asked = msgspec.json.decode(kept.content, type=ConfQuestion)
                return conf_report(read_conf(asked, record), details=details)
            case Verb.GATE:
                from hopcost.report.questions.gate import gate_report
                from hopcost.statistics.questions.gate.gate import GateQuestion, read_gate

                gate = msgspec.json.decode(kept.content, type=GateQuestion)
                return gate_report(read_gate(gate, record), details=details)
            case Verb.CAPACITY:
                from hopcost.report.questions.capacity import capacity_report
                from hopcost.statistics.questions.capacity.question import CapacityQuestion
                from hopcost.statistics.questions.capacity.result import read_capacity

                objectives = msgspec.json.decode(kept.content, type=CapacityQuestion)
                return capacity_report(read_capacity(objectives, record), details=details)


@contextmanager
def _damaged(record: Record) -> Iterator[None]:
    try:
        yield
    except msgspec.DecodeError as error:
        raise UsageError(
            f"{record.path / 'question.json'}: {error}", "the record is damaged, or not one of this hopcost's"
        ) from error
