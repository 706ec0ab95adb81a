"""The same as JSON, with the keys of a gate that measures, as far as there is something to say."""

from __future__ import annotations

import msgspec

from hopcost.plan.method import METHOD
from hopcost.report.questions.gate.words import WORDS
from hopcost.report.questions.history.answer import share_of
from hopcost.report.questions.history.newest.answer import HistoryGate
from hopcost.report.questions.history.newest.settling import records_needed
from hopcost.statistics.questions.gate.decision import FigureDecision


def data(answer: HistoryGate) -> dict[str, object]:
    """Shares are of 1."""
    decision = answer.decision
    return {
        "outcome": WORDS[decision.outcome],
        "exit_code": answer.exit_code,
        "why": decision.why,
        "arm": answer.name,
        "against": "history",
        "margin": answer.margin,
        "deciding": answer.deciding.value,
        "confidence_of_each_end": 1 - METHOD.confidence_error,
        "figures": [_figure(answer, figure) for figure in decision.figures],
        "newest": answer.record,
        "records_apart": answer.apart,
        "record": answer.record.path,
    }


def _figure(answer: HistoryGate, figure: FigureDecision) -> dict[str, object]:
    beside = answer.beside.get(figure.figure)
    content = {key: value for key, value in msgspec.structs.asdict(figure).items() if key != "to_settle"}
    if beside is None:
        return content | {"stretch": None, "spread_between_records": None, "records_to_settle": None}
    newest = beside.newest
    return content | {
        "stretch": {
            "first": beside.first.digest,
            "last": beside.last.digest,
            "records": newest.stretch.records,
            "ratio": share_of(newest.stretch),
        },
        "spread_between_records": newest.before.spread,
        "records_to_settle": records_needed(answer, figure),
    }
