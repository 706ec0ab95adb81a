"""`hopcost compare` on records that lie on the disk: whole, cut off, of another format, with generated files."""

from __future__ import annotations

import json
from pathlib import Path

import command
import pytest
from samples.blocks import plain_block
from samples.records import ENVIRONMENT, made_up_suite, plan_of

from hopcost.record import reader
from hopcost.record.contents.run import FORMAT
from hopcost.record.writer import Writer
from hopcost.statistics.questions.two_records import two_records


def written(path: Path, behind: int = 400, **environment: object) -> Path:
    """A record of six blocks, with what its arms' stacks were."""
    content = made_up_suite()
    with Writer(path, content, plan_of(), ENVIRONMENT | environment, ["hopcost", "run", "made-up"]) as writer:
        for number, sway in enumerate((-4, 0, 2, -1, 3, 0)):
            writer.append(plain_block(number, 1000 + sway, 1000 - sway, behind))
    for arm in ("direct", "behind"):
        (path / "stacks" / "cost" / arm).mkdir(parents=True)
        (path / "stacks" / "cost" / arm / "app.conf").write_text("listen 127.0.0.1:2000;\nthreads 1;\n")
    return path


def content_of(path: Path) -> dict[str, bytes]:
    return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}


def compare(*arguments: object, folder: Path) -> tuple[int, str, str]:
    done = command.hopcost("compare", *arguments, folder=folder)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def test_two_records_are_compared_and_left_as_they_are(tmp_path: Path) -> None:
    a, b = written(tmp_path / "a"), written(tmp_path / "b", behind=300)
    before = [content_of(record) for record in (a, b)]
    code, output, errors = compare("a", "b", "--details", folder=tmp_path)
    assert (code, errors) == (0, "")
    assert "slower" in output and "nothing that the records keep, but the hour" in output
    assert [content_of(record) for record in (a, b)] == before
    code, output, _ = compare("a", "b", "--json", "-o", "out.json", folder=tmp_path)
    assert (code, output) == (0, "")
    assert json.loads((tmp_path / "out.json").read_text())["experiments"][0]["name"] == "cost"


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("run.json", f'"format": {FORMAT}', '"format": 99', ["b: from a newer hopcost: record format 99"]),
        ("run.json", '"method": 3', '"method": 2', ["other methods: 3 and 2", "--anyway"]),
        ("*.json*", '"cost"', '"price"', ["no experiment in common: made-up has cost", "has price"]),
        ("*.json*", '"made-up"', '"mine"', ["other suites: made-up and mine", "--anyway"]),
        ("environment.json", "Abacus 2", "Abacus 9", ["other CPUs: Abacus 2 and Abacus 9", "--anyway"]),
        ("environment.json", "{", "[", ["environment.json: ", "damaged"]),
    ],
)
def test_what_does_not_fit_is_one_clear_error(tmp_path: Path, file: str, old: str, new: str, words: list[str]) -> None:
    written(tmp_path / "a"), written(tmp_path / "b")
    paths = list((tmp_path / "b").glob(file))
    assert any(old in path.read_text() for path in paths)
    for path in paths:  # a name is changed wherever it stands, or the record contradicts itself
        path.write_text(path.read_text().replace(old, new))
    code, output, errors = compare("a", "b", "--details", folder=tmp_path)
    assert (code, output) == (2, "") and errors.startswith("error: ")
    assert [word for word in words if word not in errors] == []


def test_a_record_that_is_cut_off_is_compared_up_to_there_and_says_so(tmp_path: Path) -> None:
    written(tmp_path / "a"), written(tmp_path / "b")
    blocks = tmp_path / "b" / "blocks.jsonl"
    blocks.write_bytes(blocks.read_bytes()[:-40])
    code, output, _ = compare("a", "b", "--details", folder=tmp_path)
    assert code == 0
    assert "! B: " in output and "line 6 is cut off" in output and "6 starts in A, 5 starts in B" in output


def test_what_was_generated_otherwise_is_shown_line_by_line_and_ports_are_not(tmp_path: Path) -> None:
    written(tmp_path / "a"), written(tmp_path / "b")
    for arm, threads in (("direct", 1), ("behind", 2)):
        path = tmp_path / "b" / "stacks" / "cost" / arm / "app.conf"
        path.write_text(f"listen 127.0.0.1:2007;\nthreads {threads};\n")
    (experiment,) = two_records.compare_records(
        reader.read_record(tmp_path / "a"), reader.read_record(tmp_path / "b")
    ).experiments
    assert {arm.name: arm.files for arm in experiment.arms} == {
        "direct": {},
        "behind": {"app.conf": ["- threads 1;", "+ threads 2;"]},
    }
    assert experiment.baseline_changed is None


def test_a_baseline_that_was_generated_otherwise_takes_the_verdicts_away(tmp_path: Path) -> None:
    written(tmp_path / "a"), written(tmp_path / "b", behind=300)
    (tmp_path / "b" / "stacks" / "cost" / "direct" / "app.conf").write_text("listen 127.0.0.1:2000;\nthreads 2;\n")
    (experiment,) = two_records.compare_records(
        reader.read_record(tmp_path / "a"), reader.read_record(tmp_path / "b")
    ).experiments
    assert experiment.baseline_changed == "the baseline direct is not the same in both (app.conf: - threads 1;)"
    assert {figure.no_verdict for arm in experiment.arms for figure in arm.figures} == {experiment.baseline_changed}
