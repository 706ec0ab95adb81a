"""The JSON report: keys, figures as they are, and null instead of zero."""

from __future__ import annotations

import json

import pytest
from samples.blocks import plain_block
from samples.records import record
from samples.reports import everything, rendered

KILLED: dict[str, object] = {
    "kind": "broke_off", "arm": None, "rate_per_s": None, "value": None, "programs": [],
    "machine": None, "text": "the engine was killed by signal 9",
}  # fmt: skip


def keys(value: object) -> set[str]:
    assert isinstance(value, dict)
    return set(value)


def test_json_has_the_keys_that_were_promised() -> None:
    content = json.loads(rendered("json", everything()))
    (experiment,) = content["experiments"]
    assert keys(experiment) >= {"name", "baseline", "aa_floor", "blocks", "arms"}
    assert keys(experiment["aa_floor"]) >= {"low", "high"}
    for arm in experiment["arms"]:
        assert keys(arm) >= {
            "name",
            "throughput_per_s",
            "ratio",
            "cpu_ns_per_request",
            "service_time_ns",
            "errors",
            "published_ratio",
        }
        assert keys(arm["ratio"]) == {"value", "low", "high"}
        assert keys(arm["service_time_ns"]) == {"p50", "p99"}
        assert "generator" in arm["cpu_ns_per_request"]
        assert keys(arm["errors"]) == {"connect", "tls", "write", "read", "protocol", "status", "body", "timeout"}
    assert [arm["name"] for arm in experiment["arms"]] == ["direct", "behind", "beside"]
    assert [arm["published_ratio"] for arm in experiment["arms"]] == [1.0, 0.25, None]


def test_json_holds_figures_as_they_are() -> None:
    (experiment,) = json.loads(rendered("json", everything()))["experiments"]
    behind = experiment["arms"][1]
    assert (experiment["name"], experiment["baseline"], experiment["blocks"]) == ("cost", "direct", 3)
    assert behind["throughput_per_s"] == pytest.approx(4200)
    assert behind["cpu_ns_per_request"] == {"proxy": 119048, "app": 47619, "generator": 9524}
    assert behind["service_time_at_least"] == ["p99"]
    assert behind["service_time_ns"]["p99"] == 30_015_487
    assert experiment["void_blocks"] == [{"number": 3, "reasons": [KILLED]}]


def test_json_of_nothing_is_null_and_never_zero() -> None:
    (experiment,) = json.loads(rendered("json", record(plain_block(0, behind=0))))["experiments"]
    behind = experiment["arms"][1]
    assert (behind["ratio"], behind["cpu_ratio"], behind["cpu_outside"]) == (None, None, None)
    assert behind["service_time_ns"] == {"p50": None, "p99": None}
    (empty,) = json.loads(rendered("json", record()))["experiments"]
    assert (empty["aa_floor"], empty["harness_load"], empty["blocks"], empty["arms"]) == (None, None, 0, [])
