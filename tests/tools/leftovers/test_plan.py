"""The pure parts of `make leftovers`: the plan, and going on with it. Nothing is run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from hopcost import cli
from hopcost.cli.shared.verbs.app import app
from hopcost.suites.read import read_suite
from tools.leftovers import plan as script
from tools.leftovers.trial import CLEAN, RUN, SUITE


def done(planned: Any) -> Any:
    return script.Trial(
        number=planned.number,
        seed=planned.seed,
        victim=planned.victim,
        signal=planned.signal,
        after_s=planned.after_s,
        left={},
        before_cleaning=None,
    )


def test_the_plan_follows_from_the_seed_and_ends_with_kills_of_harness_and_keepers() -> None:
    planned = script.plan(1, 100, 10)
    assert planned == script.plan(1, 100, 10) != script.plan(2, 100, 10)
    assert [trial.number for trial in planned] == list(range(1, 111))
    assert {trial.victim for trial in planned[:100]} == {"harness", "keeper", "engine"}
    assert {(trial.victim, trial.signal) for trial in planned[100:]} == {("harness+keepers", "SIGKILL")}


def test_it_goes_on_where_it_was_interrupted_even_in_the_middle_of_a_line() -> None:
    planned = script.plan(1, 4, 1)
    text = b"".join(script.line(done(trial)) for trial in planned[:3])
    trials = script.kept(text[:-7], planned)
    assert [trial.number for trial in trials] == [1, 2]
    assert [trial.number for trial in script.missing(planned, trials)] == [3, 4, 5]


def test_trials_of_another_plan_do_not_count() -> None:
    text = b"".join(script.line(done(trial)) for trial in script.plan(2, 3, 0))
    assert script.kept(text, script.plan(1, 3, 0)) == []


def test_its_commands_and_its_suite_are_understood(tmp_path: Path) -> None:
    cli.load_verbs()
    verbs = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    for verb, *words in (RUN, CLEAN):
        asked = verbs[verb].make_context(verb, words).params
        assert all(asked[word.removeprefix("--")] for word in words if word.startswith("--"))
    for link in ("", "link_mbit_per_s = 1000"):
        path = tmp_path / "leftovers.toml"
        path.write_text(SUITE.replace("LINK", link))
        assert list(read_suite(str(path)).arms) == ["alone", "behind", "linked"]
