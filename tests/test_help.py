"""`--help` of hopcost and every verb, to the last byte; and that it does not load what it does not need."""

from __future__ import annotations

import subprocess
import sys

import golden
import pytest
from command import environment, hopcost

VERBS = ["build", "claims", "compare", "doctor", "gate", "list", "report", "run", "show", "up"]
HEAVY = {"scipy", "numpy", "rich", "jinja2", "psutil", "msgspec", "hdrh"}
AFTER_HELP = """
import sys
sys.argv = ["hopcost", *sys.argv[1:]]
from hopcost import cli
try:
    cli.main()
except SystemExit as end:
    print(end.code, *sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""


def test_help_of_hopcost():
    shown = hopcost("--help")
    assert (shown.returncode, shown.stderr) == (0, "")
    golden.compare("help.txt", shown.stdout)


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb(verb):
    shown = hopcost(verb, "--help")
    assert (shown.returncode, shown.stderr) == (0, "")
    golden.compare(f"help-{verb}.txt", shown.stdout)


def test_every_verb_has_its_golden_file():
    """`load` is the engine's own: its help is tested with the engine."""
    lines = hopcost("--help").stdout.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()
    assert [line.split()[0] for line in lines] == sorted([*VERBS, "load"])


def test_dash_h_is_help():
    assert hopcost("-h").stdout == hopcost("--help").stdout
    assert hopcost("run", "-h").stdout == hopcost("run", "--help").stdout


def test_no_arguments_are_answered_with_help():
    assert "Usage: hopcost" in hopcost().stdout + hopcost().stderr


@pytest.mark.parametrize(
    "arguments", [["--help"], ["run", "--help"], ["report", "--help"], ["gate", "--help"], ["--version"]]
)
def test_help_imports_nothing_heavy(arguments):
    """It answers at once because it loads little; what it loads is counted here, not the time."""
    shown = subprocess.run(
        [sys.executable, "-c", AFTER_HELP, *arguments], env=environment(), capture_output=True, text=True, check=True
    )
    code, *modules = shown.stderr.split()
    assert code == "0"
    assert "hopcost" in modules
    assert HEAVY.isdisjoint(modules), HEAVY & set(modules)
