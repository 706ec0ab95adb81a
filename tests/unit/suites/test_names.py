"""What stands for an arm on the command line: its whole name, or an end that no other arm has."""

from __future__ import annotations

from pathlib import Path

import pytest
from texts.suite_texts import write

from hopcost.errors import UsageError
from hopcost.suites.names import choose, locate, shipped_arms, unique_ends, whole_name


@pytest.mark.parametrize("word", ["nginx-go/balance/nginx-over-2", "balance/nginx-over-2", "nginx-over-2"])
def test_the_end_of_a_name_is_enough(word: str) -> None:
    assert whole_name(word) == "nginx-go/balance/nginx-over-2"
    suite, experiment, arm = locate(word)
    assert (suite.name, experiment.name, arm) == ("nginx-go", "balance", "nginx-over-2")


def test_a_point_of_a_sweep_keeps_its_value() -> None:
    assert whole_name("gzip@1000/nginx") == "nginx-express/gzip@1000/nginx"


def test_where_several_arms_end_so_they_are_listed() -> None:
    with pytest.raises(UsageError) as caught:
        whole_name("one-core/go")
    assert caught.value.message == "2 arms are called 'one-core/go':\n  hello/one-core/go\n  nginx-go/one-core/go"
    assert caught.value.hint == "say which; enough is, for the first, hello/one-core/go"
    with pytest.raises(UsageError) as caught:
        whole_name("nginx-http-tcp")
    assert caught.value.message.endswith("  and 2 more")
    assert caught.value.hint == "say which; enough is, for the first, one-core/nginx-http-tcp"


def test_the_beginning_of_a_name_lists_what_follows() -> None:
    with pytest.raises(UsageError) as caught:
        whole_name("nginx-go/workers")
    assert caught.value.message.startswith(
        "'nginx-go/workers' names no arm; it has:\n  nginx-go/workers/nginx-http-tcp\n"
    )


@pytest.mark.parametrize(
    ("word", "hint"),
    [("nginx-over-3", "did you mean 'nginx-over-"), ("qqqqq", "SUITE/EXPERIMENT/ARM: hopcost list names them all")],
)
def test_no_such_arm(word: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        whole_name(word)
    assert caught.value.message == f"no stack is called '{word}'"
    assert caught.value.hint is not None and caught.value.hint.startswith(hint)


def test_an_arm_of_a_file(tmp_path: Path) -> None:
    path = write(tmp_path)
    assert locate(f"{path}/first/behind")[2] == "behind"
    assert whole_name(f"{path}/behind") == f"{path}/first/behind"
    with pytest.raises(UsageError, match="2 arms are called") as caught:
        whole_name(f"{path}/direct")
    assert caught.value.hint == f"say which; enough is, for the first, {path}/first/direct"


@pytest.mark.parametrize("end", ["", "/nobody"])
def test_a_file_without_a_known_arm_lists_those_that_it_has(tmp_path: Path, end: str) -> None:
    path = write(tmp_path)
    with pytest.raises(UsageError) as caught:
        whole_name(f"{path}{end}")
    first, *arms = caught.value.message.splitlines()
    assert first.startswith(("'", "no stack is called '")) and path in first
    assert arms == [f"  {path}/first/direct", f"  {path}/first/behind", f"  {path}/second/direct"]
    assert caught.value.hint == f"say which; enough is, for the first, {path}/first/direct"


def test_every_end_that_is_offered_stands_for_one_arm() -> None:
    ends = unique_ends()
    assert "nginx-over-2" in ends and "go" not in ends
    assert len({whole_name(end) for end in ends}) == len(ends) <= len(shipped_arms())


def test_an_experiment_alone_is_enough_if_one_suite_has_it() -> None:
    assert choose("sizes") == ("static", ["sizes"])
    assert choose("proxies") == ("proxies", []), "a suite's name comes first"
    with pytest.raises(UsageError, match="suites have an experiment 'one-core'"):
        choose("one-core")
