"""`hopcost report`: formats and files, and records that are damaged or not there."""

from __future__ import annotations

from pathlib import Path

import golden
from command import hopcost, loaded_by
from mocks import confs
from samples.written import arm, changed, written


def test_no_such_record_ends_in_a_traceback_on_the_command_line(tmp_path: Path) -> None:
    path = written(tmp_path / "r")
    changed(path, "blocks.jsonl", lambda block: arm(block)["totals"].update(service_time="AAAA"), line=3)
    for verb in ("report", "claims"):
        refused = hopcost(verb, path)
        assert refused.returncode == 2 and refused.stdout == ""
        assert refused.stderr.startswith(f"error: {path}/blocks.jsonl: line 3: arms[0] (direct): totals.service_time")
        assert "hint: " in refused.stderr


def test_html_goes_to_a_file_and_its_path_is_printed(tmp_path: Path) -> None:
    record = written(tmp_path / "records" / "before")
    beside = "records/before/report.html"
    for words, name in (["--html"], beside), (["--html", "page.html"], "page.html"), (["--html"], beside):
        shown = hopcost("report", record.relative_to(tmp_path), *words, folder=tmp_path)
        how = f"open it in a browser: {(tmp_path / name).as_uri()}\n"
        assert (shown.returncode, shown.stdout, shown.stderr) == (0, f"{name}\n", how)
        assert (tmp_path / name).read_text().lower().startswith("<!doctype html>")


def test_two_files_or_two_formats_are_one_too_many(tmp_path: Path) -> None:
    record = written(tmp_path / "r")
    for words in (["--html=a.html", "-o", "b.html"], ["--json", "--format", "csv"]):
        refused = hopcost("report", record, *words, folder=tmp_path)
        assert refused.returncode == 2 and "hint: " in refused.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r"]


def test_no_such_record_lists_the_newest(tmp_path: Path) -> None:
    written(tmp_path / "records" / "before")
    refused = hopcost("report", "nope", folder=tmp_path)
    assert refused.returncode == 2
    assert (
        refused.stderr == "error: nope: no record there (a directory with run.json)\nhint: latest, or by name: before\n"
    )


def test_a_report_as_text_loads_no_charts_and_no_distributions() -> None:
    modules = loaded_by(["report", str(golden.FOLDER / "records" / "sweep")])
    assert {"altair", "jinja2", "scipy.stats"}.isdisjoint(modules)


def test_the_diff_alone_goes_to_patch_and_nothing_else_does(tmp_path: Path) -> None:
    path = confs.measured(tmp_path).record.path
    shown = hopcost("report", path, "--diff")
    assert (shown.returncode, shown.stderr) == (0, "")
    lines = shown.stdout.splitlines()
    assert lines[-4:] == ["--- nginx.conf", "+++ nginx.conf", "+ buffer=64k;", "+keepalive 64;"]
    assert all(line.startswith("# ") for line in lines[:-4])
    refused = hopcost("report", path, "--diff", "--json")
    assert refused.returncode == 2 and "--diff prints the diff alone" in refused.stderr
    plain = hopcost("report", written(tmp_path / "r"), "--diff")
    assert plain.returncode == 2 and "only records of hopcost conf have one" in plain.stderr
