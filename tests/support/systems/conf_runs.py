"""`hopcost conf` on a copy of one of our own configurations, and what each such run must end in."""

from __future__ import annotations

import json
import shutil
import subprocess
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

import command
from jails import arm_of, ask, running, site_of
from systems.traces import Traces, noted
from texts.nginx_texts import own_configurations

TIME_S = 8  # the screening takes longer than that where there is much to screen; then one start is confirmed
CONNECTIONS = 8
WIDTH = 80  # a table that is wider in plain letters is two
COMMANDS = ("  record  ", "  next    ")
BEGINS_BY = 12  # letters: a row has a long change's beginning
LOGIN = ("Authorization", "Basic aG9wY29zdDpob3Bjb3N0")  # of hopcost's own user: a site may ask for one
LONGEST_S = 400  # a limit, not a measure


@dataclass(frozen=True)
class ConfRun:
    """What `hopcost conf --json --diff` ended with. `site` is the copy, `was` what it held before."""

    code: int
    answer: dict[str, Any]
    said: str
    file: Path
    was: dict[str, bytes]
    traces: Traces | None

    @property
    def site(self) -> Path:
        return self.file.parent

    @property
    def record(self) -> Path:
        return self.site.parent / "record"

    @property
    def diff(self) -> Path:
        return self.site.parent / "worth.diff"


def names() -> list[str]:
    """Of the twelve."""
    return [file.parent.name for file in own_configurations()]


def run_conf(name: str, folder: Path, *more: object, temporary: Path | None = None) -> ConfRun:
    """To the end, on a copy in this folder. With a folder for temporary files its traces are noted."""
    (own,) = (file for file in own_configurations() if file.parent.name == name)
    site = folder / "site"
    shutil.copytree(own.parent, site)
    was = contents(site)
    words = ["conf", own.name, "--anyway", "--json", "--connections", CONNECTIONS, "--time", f"{TIME_S}s"]
    words += ["--record", "../record", "--diff", "../worth.diff", *more]
    with ExitStack() as running_it:
        process = running_it.enter_context(
            subprocess.Popen(
                [command.HOPCOST, *map(str, words)],
                cwd=site,
                env=command.environment() | ({} if temporary is None else {"TMPDIR": str(temporary)}),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
        traces = None if temporary is None else running_it.enter_context(noted(process.pid, temporary))
        output, said = process.communicate(timeout=LONGEST_S)
    return ConfRun(process.returncode, json.loads(output) if output else {}, said, site / own.name, was, traces)


def contents(folder: Path) -> dict[str, bytes]:
    """All its files."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def assert_ends_well(run: ConfRun) -> None:
    """With a table, each change in it or told why not; the files as they were; a diff that patches what starts."""
    assert run.code == 0, run.said
    assert contents(run.site) == run.was, "the user's files are never written"
    confirmed = [change for change in run.answer["changes"] if change["confirmed"] is not None]
    assert confirmed, run.answer
    assert all(change["why"] for change in run.answer["not_seen"])
    left_out = [change["words"] for change in run.answer["not_seen"]]  # there was no room for it
    for change in run.answer["changes"]:
        has_figure = change["screened"] is not None or change["confirmed"] is not None
        assert has_figure or change["why"] or change["candidate"]["words"] in left_out, change
    assert run.answer["nginx_cpu_ns_as_is"] > 0
    assert run.answer["seen"]["status"] == 200
    _assert_table(run)
    _assert_diff(run)


def _assert_table(run: ConfRun) -> None:
    """What a person sees: rows of changes, and the diff if there is one. Commands to copy are as long as they are."""
    shown = command.hopcost("report", run.record)
    assert shown.returncode == 0, shown.stderr
    lines = shown.stdout.splitlines()
    above = list(takewhile(lambda line: not line.lstrip().startswith("--- "), lines))
    wide = [line for line in above if len(line) > WIDTH and not line.startswith(COMMANDS)]
    assert wide == [], "\n".join(wide)
    assert (len(above) < len(lines)) == (run.answer["diff"] is not None)
    head, *_ = (number for number, line in enumerate(above) if line.split()[:2] == ["change", "where"])
    rows = list(takewhile(str.strip, above[head + 1 :]))
    beginnings = tuple(change["candidate"]["words"][:BEGINS_BY] for change in run.answer["changes"])
    assert [row for row in rows if row.lstrip().startswith(beginnings)], shown.stdout


def _assert_diff(run: ConfRun) -> None:
    """`patch` takes it, and nginx starts with what comes of it and answers as before."""
    assert run.diff.exists() == (run.answer["diff"] is not None)
    if not run.diff.exists():
        assert not run.answer["kept"]
        return
    patched = run.site.parent / "patched"
    shutil.copytree(run.site, patched)
    done = subprocess.run(
        ["patch", "-p0", "--input", run.diff], cwd=patched, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert contents(patched) != run.was
    # `nginx -t`, a start, an answer; limits as they are
    with running(arm_of(*site_of(patched / run.file.name))) as stack:
        assert ask(stack, "/", LOGIN).status == run.answer["seen"]["status"], stack.last_lines("mine")
        assert stack.failure() is None
