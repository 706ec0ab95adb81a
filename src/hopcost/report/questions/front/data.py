"""The answer as data: figures in ns, ratios as {value, low, high}."""

from __future__ import annotations

from hopcost.report.questions.front.config import configuration
from hopcost.report.questions.front.document import sentence
from hopcost.statistics.questions.front.result import FrontResult


def data(answer: FrontResult) -> dict[str, object]:
    """All that the text has, with every figure whole."""
    config, question = configuration(answer), answer.question
    return {
        "command": question.command,
        "answer": sentence(answer),
        "best": None if answer.best is None else answer.best.value,
        "app_cpu_ns": answer.app_ns,
        "load_per_s": question.rate_per_s,
        "stacks": answer.rows,
        "advice": answer.advice,
        "not_measured": question.left_out,
        "failures": answer.failures,
        "app": question.app,
        "configuration": None if config is None else config.text,
        "record": str(answer.record.path),
    }
