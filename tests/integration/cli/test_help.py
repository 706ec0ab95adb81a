"""`--help` of hopcost and every verb, to the last byte; and that it does not load what it does not need."""

from __future__ import annotations

import os
import pty
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import golden
import pytest
import typer
from command import HOPCOST, hopcost, loaded_by
from samples.blocks import plain_block
from samples.records import ENVIRONMENT, made_up_suite, plan_of

from hopcost import cli
from hopcost.cli.set_up.init import TEMPLATE
from hopcost.cli.shared.verbs.app import app
from hopcost.cli.shared.verbs.verb import GROUPS
from hopcost.errors import EXIT_CODES
from hopcost.record.writer import Writer
from hopcost.suites import names

FOLDERS = {verb: group for group, verbs in GROUPS.items() for verb in verbs if verb != "load"}  # of tests/golden/help
VERBS = list(FOLDERS)
HEAVY = {"scipy", "numpy", "rich", "jinja2", "psutil", "msgspec", "hdrh"}


def test_help_of_hopcost() -> None:
    shown = hopcost("--help")
    assert (shown.returncode, shown.stderr) == (0, "")
    golden.compare("help/hopcost.txt", shown.stdout)


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb(verb: str) -> None:
    shown = hopcost(verb, "--help")
    assert (shown.returncode, shown.stderr) == (0, "")
    golden.compare(f"help/{FOLDERS[verb]}/{verb}.txt", shown.stdout)


def test_verbs_stand_in_groups_and_their_help_is_never_cut() -> None:
    cli.load_verbs()
    verbs = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    assert sorted(verbs) == sorted(verb for group in GROUPS.values() for verb in group)
    sections = hopcost("--help").stdout.split("\n\n")
    listed = {section.partition(":\n")[0]: section.splitlines()[1:] for section in sections}
    for group, verbs in GROUPS.items():
        lines = listed[group.replace("_", " ").capitalize()]
        assert [line.split()[0] for line in lines] == list(verbs)
        assert all(line.endswith((".", "?")) for line in lines), "a line for each verb, to its full stop"


@pytest.mark.parametrize("verb", ["", *VERBS, "load"])
def test_help_fits_80_columns(verb: str) -> None:
    shown = hopcost(*verb.split(), "--help")
    assert [line for line in shown.stdout.splitlines() if len(line) > 80] == []


def test_dash_h_is_help() -> None:
    assert hopcost("-h").stdout == hopcost("--help").stdout
    assert hopcost("run", "-h").stdout == hopcost("run", "--help").stdout


def test_no_arguments_are_answered_with_help() -> None:
    shown = hopcost()
    assert (shown.returncode, shown.stdout, shown.stderr) == (0, hopcost("--help").stdout, "")


@pytest.mark.parametrize(
    "arguments", [["--help"], ["run", "--help"], ["report", "--help"], ["gate", "--help"], ["--version"]]
)
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    """It answers at once because it loads little; what it loads is counted here, not the time."""
    modules = loaded_by(arguments)
    assert "hopcost" in modules
    assert HEAVY.isdisjoint(modules), HEAVY & modules


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_examples_of_itself(verb: str) -> None:
    examples = hopcost(verb, "--help").stdout.partition("  Examples:\n")[2].partition("\n\n")[0].splitlines()
    assert examples
    assert all(f"hopcost {verb}" in line for line in examples)


def test_every_example_is_a_command_line_that_is_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(TEMPLATE, "my-app.toml")
    cli.load_verbs()
    group = typer.main.get_command(app)
    for verb in VERBS:
        command = group.commands[verb]  # type: ignore[attr-defined]
        for line in re.findall(r"(?m)^  .*?(hopcost (?:'[^'\n]*'|[^|><)\n])+)", command.epilog):
            first, *words = shlex.split(line)[1:]
            assert first == verb
            asked = command.make_context(verb, words).params
            if "arm" in asked:
                names.locate(asked["arm"])


def test_every_exit_code_stands_in_the_help() -> None:
    shown = hopcost("--help").stdout.partition("  Exit codes:\n")[2]
    assert [int(line.split()[0]) for line in shown.splitlines()] == list(EXIT_CODES)


def on_a_terminal(arguments: Sequence[object], **extra: str) -> str:
    """Everything that `hopcost` writes to a terminal."""
    master, slave = pty.openpty()
    with subprocess.Popen(
        [HOPCOST, *map(str, arguments)],
        stdout=slave, stderr=slave, env=os.environ | {"TERM": "xterm-256color", "COLUMNS": "100"} | extra,
    ) as process:  # fmt: skip
        os.close(slave)
        written = b""
        try:
            while part := os.read(master, 4096):
                written += part
        except OSError:  # how a terminal says that its last writer is gone
            pass
        finally:
            os.close(master)
    assert process.returncode is not None
    return written.decode()


def test_no_color_is_obeyed_and_colour_is_there_without_it(tmp_path: Path) -> None:
    with Writer(tmp_path / "record", made_up_suite(), plan_of(), ENVIRONMENT, ["hopcost"]) as writer:
        writer.append(plain_block(0))
    colour = re.compile(r"\x1b\[(\d+;)*(3|4|9)\d")
    for arguments in (["report", tmp_path / "record"], ["report", "none"], ["doctor"]):
        assert not colour.search(on_a_terminal(arguments, NO_COLOR="1")), arguments
    assert colour.search(on_a_terminal(["doctor"])), "what would be taken away is there"
