"""What a shell is told when a person presses the tab key."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from command import HOPCOST, environment, hopcost, loaded_by
from samples.records import ENVIRONMENT, made_up_suite, plan_of

from hopcost.record.writer import Writer
from hopcost.suites import read as suites


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With two records, one of them in a folder below records/."""
    for name in ("before", "kept/after"):
        with Writer(tmp_path / "records" / name, made_up_suite(), plan_of(), ENVIRONMENT, ["hopcost"]):
            pass
    (tmp_path / "records" / "no-record").mkdir()
    return tmp_path


def words(folder: Path, *line: str, shell: str = "bash") -> list[str]:
    """The words that may stand in place of the last one of the line."""
    asked = {"_HOPCOST_COMPLETE": f"complete_{shell}"}
    if shell == "bash":
        asked |= {"COMP_WORDS": " ".join(["hopcost", *line]), "COMP_CWORD": str(len(line))}
    else:
        asked |= {"_TYPER_COMPLETE_ARGS": " ".join(["hopcost", *line]), "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    done = hopcost(folder=folder, extra=asked)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split("\n")[:-1] if done.stdout.strip() else []


def test_verbs_and_options(folder: Path) -> None:
    assert words(folder, "re") == ["report"]
    assert words(folder, "run", "--qui") == ["--quick", "--quiet"]


def test_suites_and_their_experiments(folder: Path) -> None:
    assert words(folder, "run", "") == suites.shipped_suites()
    of_hello = [experiment.name for experiment in suites.read_suite("hello").experiments]
    assert words(folder, "run", "hello/") == [f"hello/{name}" for name in of_hello]
    assert words(folder, "run", "hello", "") == of_hello
    assert words(folder, "claims", "latest", "--suite", "nginx-e") == ["nginx-express"]


def test_the_values_of_a_sweep_come_after_the_at(folder: Path) -> None:
    assert words(folder, "run", "nginx-express/gzip-l") == ["nginx-express/gzip-loopback"]
    assert not any("@" in word for word in words(folder, "run", "nginx-express/"))
    assert "nginx-express/gzip@1000" in words(folder, "run", "nginx-express/gzip@")


@pytest.mark.parametrize("verb", ["show", "up"])
def test_arms_a_part_at_a_time(folder: Path, verb: str) -> None:
    assert words(folder, verb, "hel") == ["hello/"]
    assert words(folder, verb, "hello/one") == ["hello/one-core/"]
    arms = suites.read_suite("hello").experiment("one-core").arms
    assert words(folder, verb, "hello/one-core/") == [f"hello/one-core/{arm}" for arm in arms]


def test_the_end_of_an_arms_name_that_no_other_has(folder: Path) -> None:
    assert words(folder, "up", "nginx-over-2") == ["nginx-over-2", "nginx-over-2-closing"]
    assert words(folder, "up", "all-cores/fast") == ["all-cores/fasthttp"]
    assert "go" not in words(folder, "up", "go"), "that is the name of many"


@pytest.mark.parametrize("verb", ["report", "claims"])
def test_records_by_name(folder: Path, verb: str) -> None:
    assert words(folder, verb, "") == ["latest", "before", "kept/after"]
    assert words(folder, verb, "k") == ["kept/after"]


def test_formats_peers_and_programs(folder: Path) -> None:
    assert words(folder, "report", "latest", "--format", "") == ["text", "markdown", "csv"]
    assert words(folder, "run", "hello", "--generator", "h") == ["h2load", "hey"]
    assert "go-hello" in words(folder, "build", "go-")
    assert "nginx" not in words(folder, "build", "")


@pytest.mark.parametrize("line", [["run", "no-such-suite/"], ["run", "no-such", ""], ["show", "hello/nothing/"]])
def test_what_is_wrong_has_no_words_and_no_error(folder: Path, line: list[str]) -> None:
    assert words(folder, *line) == []


def test_a_suite_that_contradicts_itself_has_no_words_and_no_error(folder: Path) -> None:
    (folder / "mine.toml").write_text("[[")
    assert words(folder, "run", "./mine.toml/") == []


def test_zsh_and_fish_are_told_what_the_words_are(folder: Path) -> None:
    question = suites.read_suite("hello").experiment("one-core").question
    assert f"hello/one-core\t{question}" in words(folder, "run", "hello/", shell="fish")
    (line, *_) = words(folder, "run", "hello/one", shell="zsh")
    assert line.startswith('_arguments \'*: :(("hello/one-core":')


def test_names_of_records_load_nothing_heavy(folder: Path) -> None:
    asked = {"_HOPCOST_COMPLETE": "complete_bash", "COMP_WORDS": "hopcost report ", "COMP_CWORD": "2"}
    assert {"numpy", "scipy", "msgspec"}.isdisjoint(loaded_by([], extra=asked, folder=folder))


# The scripts


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_asks_hopcost(shell: str) -> None:
    shown = hopcost("completion", shell)
    assert shown.returncode == 0
    assert f"_HOPCOST_COMPLETE=complete_{shell}" in shown.stdout


def test_another_shell_is_a_usage_error() -> None:
    refused = hopcost("completion", "tcsh")
    assert refused.returncode == 2
    assert "'tcsh' is not one of" in refused.stderr


def test_bash_itself_completes(folder: Path) -> None:
    """The script as a person sources it, and the function that bash calls."""
    script = f"""
        source <({HOPCOST} completion bash)
        complete -p hopcost
        COMP_WORDS=({HOPCOST} report be) COMP_CWORD=2
        _hopcost_completion {HOPCOST}
        printf '%s\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "-c", script], env=environment(), cwd=folder, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["complete -o default -F _hopcost_completion hopcost", "before"]


def test_a_record_that_is_not_found_says_which_is_near(folder: Path) -> None:
    refused = hopcost("report", "befor", folder=folder)
    assert refused.returncode == 2
    assert "did you mean 'before'?" in refused.stderr


def test_a_record_deeper_in_records_has_a_name(folder: Path) -> None:
    assert "record  records/kept/after\n" in hopcost("report", "kept/after", folder=folder).stdout
