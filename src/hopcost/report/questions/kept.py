"""The answer of the verb that made a record, out of the question that the record keeps."""

from __future__ import annotations

import msgspec

from hopcost.errors import UsageError
from hopcost.record.contents.question import Verb
from hopcost.record.contents.run import Record
from hopcost.report import Result


def kept_answer(record: Record, *, details: bool = False) -> Result | None:
    """The answer as the verb printed it; None if the record keeps no question. UsageError for a damaged one.

    Only what the verb needs is imported: reports of other records load no distributions.
    """
    kept = record.question
    if kept is None:
        return None
    try:
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
    except msgspec.DecodeError as error:
        raise UsageError(
            f"{record.path / 'question.json'}: {error}", "the record is damaged, or not one of this hopcost's"
        ) from error
