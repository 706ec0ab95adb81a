"""A gate's answer as JSON: all that the text says, as numbers and words. docs/how-to/gate-ci.md has its keys."""

from __future__ import annotations

import msgspec

from hopcost.plan.method import METHOD
from hopcost.report.questions.gate.cautions import changes_reading, noise_is_too_wide
from hopcost.report.questions.gate.words import WORDS
from hopcost.statistics.precision.precision import Settling
from hopcost.statistics.questions.gate.decision import FigureDecision
from hopcost.statistics.questions.gate.gate import GateResult
from hopcost.statistics.validity.reasons import sentences


def data(answer: GateResult) -> dict[str, object]:
    """Shares are of 1, times in seconds."""
    question, decision, experiment = answer.question, answer.decision, answer.experiment
    return {
        "outcome": WORDS[decision.outcome],
        "exit_code": answer.exit_code,
        "why": decision.why,
        "arm": question.path,
        "before": question.before,
        "after": question.after,
        "margin": question.margin,
        "deciding": question.deciding.value,
        "confidence_of_each_end": 1 - METHOD.confidence_error,
        "figures": [_figure(figure) for figure in decision.figures],
        "to_settle": _settling(decision.to_settle, bool(experiment.suspect)),
        "noise": {
            "before_against_itself": experiment.aa_floor,
            "is_wider_than_margin": noise_is_too_wide(answer),
        },
        "starts": experiment.blocks,
        "disturbed_starts": [
            {
                "start": block.number + 1,
                "reasons": sentences(block.reasons),
                "programs": [program for reason in block.reasons for program in reason.programs],
            }
            for block in experiment.suspect
        ],
        "cautions": changes_reading(answer),
        "record": str(answer.record.path),
    }


def _figure(figure: FigureDecision) -> dict[str, object]:
    return msgspec.structs.asdict(figure) | {"to_settle": _settling(figure.to_settle)}


def _settling(settling: Settling | None, is_doubtful: bool | None = None) -> dict[str, object] | None:
    if settling is None:
        return None
    content: dict[str, object] = {
        "half_width_share": settling.half_width,
        "half_width_share_needed": settling.target,
        "more_starts": settling.starts,
        "more_seconds": settling.seconds,
    }
    return content if is_doubtful is None else content | {"is_doubtful": is_doubtful}
