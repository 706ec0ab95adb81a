"""The question of a verb in its record: written, read, and absent where there was none."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from samples.records import ENVIRONMENT, made_up_suite, plan_of
from samples.written import written

from hopcost.errors import UsageError
from hopcost.record import reader
from hopcost.record.contents.question import Verb, keep
from hopcost.record.writer import Writer


class Question(msgspec.Struct):
    """What some verb asks."""

    fronts: list[str]


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A record with a question, and nothing measured."""
    question = keep(Verb.FRONT, Question(["nginx"]))
    with Writer(tmp_path / "record", made_up_suite(), plan_of(), ENVIRONMENT, ["hopcost", "front"], question):
        pass
    return tmp_path / "record"


def test_the_question_comes_back_as_it_was(record: Path) -> None:
    kept = reader.read_record(record).question
    assert kept is not None and kept.verb is Verb.FRONT
    assert msgspec.json.decode(kept.content, type=Question) == Question(["nginx"])


def test_a_record_of_run_has_none(tmp_path: Path) -> None:
    path = written(tmp_path / "record")
    assert not (path / "question.json").exists()
    assert reader.read_record(path).question is None


def test_the_question_of_an_unknown_verb_is_refused(record: Path) -> None:
    (record / "question.json").write_text('{"verb": "guess", "content": {}}')
    with pytest.raises(UsageError, match=r"question\.json: Invalid enum value 'guess'"):
        reader.read_record(record)
