"""The answer as data: figures in ns, ratios as {value, low, high}."""

from __future__ import annotations

from hopcost.report.questions.conf.document import sentence
from hopcost.report.questions.conf.words import diff_text
from hopcost.statistics.questions.conf.result import ConfResult


def data(answer: ConfResult) -> dict[str, object]:
    """All that the text has, with every figure whole."""
    question = answer.question
    return {
        "file": question.file,
        "answer": sentence(answer),
        "nginx_cpu_ns_as_is": answer.as_is_ns,
        "changes": answer.findings,
        "kept": answer.kept,
        "together": answer.together,
        "added_up_ns": answer.added_up,
        "disagreement": answer.disagreement,
        "interact": answer.interact,
        "mends": answer.mends,
        "traps": question.traps,
        "not_seen": question.unseen,
        "limits_switched_off": question.limits,
        "jail": question.notes,
        "nginx": question.nginx,
        "site": question.site,
        "command": question.command,
        "http2_streams": question.streams,
        "seen": question.seen,
        "diff": diff_text(answer),
        "record": str(answer.record.path),
    }
