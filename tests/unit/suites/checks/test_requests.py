"""What a suite's requests must not say: each with its place and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from texts.suite_texts import write

from hopcost.errors import UsageError
from hopcost.suites.experiments.mix import requests_of
from hopcost.suites.experiments.request import Method
from hopcost.suites.read import read_suite

OLD = 'workload = { connections = 32, target = "/x", timeout_s = 3 }'


def with_workload(tmp_path: Path, workload: str) -> str:
    return write(tmp_path, OLD, f"workload = {{ connections = 32, {workload} }}")


@pytest.mark.parametrize(
    ("workload", "message", "hint"),
    [
        ("mix = []", "workload.mix: empty", "one entry for each request"),
        ("mix = [{ weight = 1 }, { weight = 0 }]", "workload.mix[1].weight: 0: it would never be sent", "leave it out"),
        ("mix = [{ weight = 65536 }, {}]", "workload.mix: the weights add up to 65,537", "weights are proportions"),
        ('mix = [{ name = "a" }, { name = "a" }]', "workload.mix: two requests have the name 'a'", "tell them apart"),
        ('mix = [{ method = "POST" }]', "workload.mix[0].method: a POST of nothing", "body_bytes"),
        ('mix = [{}, { body_text = "x" }]', "workload.mix[1].body_text: a GET carries no body", 'method = "POST"'),
        ('mix = [{ method = "PUT", body_text = "x", body_bytes = 2 }]', "workload.mix[0]: both", "how much"),
        ('mix = [{ headers = [["Connection", "close"]] }]', "workload.mix[0].headers: Connection is", "requests_per"),
        ("mix = [{ expect = { masked = [[1, 2]] } }]", "workload.mix[0].expect: masked: not with", "go together"),
        ('method = "POST", body_text = "x", body_bytes = 3', "workload: both body_bytes and body_text", "how much"),
        ('body_text = "x"', "workload.body_text: a GET carries no body", 'method = "POST"'),
    ],
)  # fmt: skip
def test_requests_that_are_refused(tmp_path: Path, workload: str, message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_suite(with_workload(tmp_path, workload))
    assert f"experiments[0] (first): {message}" in caught.value.message
    assert hint in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("workload", "message"),
    [
        ("mix = [{ weight = -1 }]", "workload.mix[0].weight: Expected `int` >= 0"),
        ('mix = [{ target = "x" }]', "workload.mix[0].target: Expected"),
        ("mix = [{ wieght = 2 }]", "workload.mix[0]: Object contains unknown field `wieght`"),
    ],
)
def test_keys_of_a_mix_are_as_strict_as_all_others(tmp_path: Path, workload: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_suite(with_workload(tmp_path, workload))
    assert message in caught.value.message


def test_a_mix_of_a_suite(tmp_path: Path) -> None:
    mix = 'mix = [{ weight = 8 }, { target = "/form", method = "POST", body_text = "a=b" }]'
    first = read_suite(with_workload(tmp_path, mix)).experiments[0]
    page, form = requests_of(first.workload)
    assert (page.weight, page.workload.target) == (8, "/")
    assert (form.weight, form.workload.method, form.workload.body) == (1, Method.POST, b"a=b")


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("rates = [1000]\nopen_loop = false", "rates: no load is offered"),
        ("rates = [1e9]", "rates[0]: Expected `float` <= 10000000.0"),
        ("rates = [0]", "rates[0]: Expected `float` >= 0.1"),
    ],
)
def test_rates_that_are_refused(tmp_path: Path, keys: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_suite(write(tmp_path, OLD, keys))
    assert message in caught.value.message
