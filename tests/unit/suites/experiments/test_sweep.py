"""Sweeps: what a point is, and what a key or a value must not be."""

from __future__ import annotations

from pathlib import Path

import pytest
from texts import suite_texts

from hopcost.errors import UsageError
from hopcost.suites import read
from hopcost.suites.experiments import sweep
from hopcost.suites.suite import Suite

SUITE = """
name = "swept"
title = "Swept"
[arms.direct]
hops = [{ program = "origin", link = "http+tcp" }]
[arms.behind]
hops = [{ program = "nginx", link = "http+tcp" }, { program = "origin", link = "http+tcp" }]
[[experiments]]
name = "wide"
question = "?"
baseline = "direct"
arms = ["direct", "behind"]
placement = "one-core"
control = "direct"
sweep = { key = "workload.connections", values = [100, 1000], quick = [100] }
published = [
  { arm = "direct", at = 100, throughput_per_s = 64050, cpu_percent = 70.5, latency_quantiles_ms = { p99 = 3.5 } },
  { arm = "direct", at = 1000, errored = true },
  { arm = "behind", at = 100, throughput_per_s = 34659, transfer_bytes_per_s = 9e6 },
]
"""


def load(folder: Path, old: str = "", new: str = "") -> Suite:
    return read.read_suite(suite_texts.write(folder, old, new, SUITE))


def test_a_point_is_an_experiment_with_the_value_in_place_and_its_own_published_rows(tmp_path: Path) -> None:
    (wide,) = load(tmp_path).experiments
    (first, at_100), (second, at_1000) = sweep.points(wide)
    assert (first, second) == (100, 1000)
    assert (at_100.name, at_100.workload.connections, at_100.sweep) == ("wide@100", 100, None)
    assert [(row.arm, row.at, row.throughput_per_s) for row in at_100.published] == [
        ("direct", None, 64050.0),
        ("behind", None, 34659.0),
    ]
    assert (at_1000.workload.connections, [row.errored for row in at_1000.published]) == (1000, [True])
    assert at_1000.workload.timeout_s == wide.workload.timeout_s
    assert wide.workload.connections == 64, "the sweep's experiment itself stays as it was"


def test_a_point_is_named_on_the_command_line_by_its_value(tmp_path: Path) -> None:
    content = load(tmp_path)
    assert content.experiment("wide@1000").workload.connections == 1000
    assert content.experiment("wide").sweep is not None
    with pytest.raises(UsageError, match="the sweep of experiment wide has no value '500'") as caught:
        content.experiment("wide@500")
    assert caught.value.hint == "did you mean '100'?"


@pytest.mark.parametrize(
    ("key", "values", "found"),
    [
        ("settings.nginx.worker_connections", "[64, 65536]", {"nginx": {"worker_connections": 64}}),
        ("settings.nginx.gzip", "[true, false]", {"nginx": {"gzip": True}}),
        ("settings.nginx.content", '["static", "lua"]', {"nginx": {"content": "static"}}),
    ],
)
def test_a_setting_is_swept_without_being_set_before(tmp_path: Path, key: str, values: str, found: object) -> None:
    text = f'sweep = {{ key = "{key}", values = {values} }}\n'
    (wide,) = load(tmp_path, SUITE[SUITE.index("control") :], text).experiments
    assert sweep.points(wide)[0][1].settings == found
    assert wide.settings == {}


def test_the_number_of_slow_clients_is_swept_and_may_be_none(tmp_path: Path) -> None:
    text = SUITE[SUITE.index("control") :]
    new = 'sweep = { key = "workload.slow_clients.number", values = [0, 50] }\n'
    new += "workload = { slow_clients = { number = 9, bytes_per_s = 30000 } }\n"
    (wide,) = load(tmp_path, text, new).experiments
    numbers = [point.workload.slow_clients.number for _, point in sweep.points(wide) if point.workload.slow_clients]
    assert (numbers, [point.workload.beside for _, point in sweep.points(wide)]) == ([0, 50], [0, 50])


@pytest.mark.parametrize(
    ("old", "new", "message", "hint"),
    [
        ('"workload.connections"', '"workload.conections"', "unknown 'conections'", "did you mean 'connections'?"),
        ('"workload.connections"', '"workloads.connections"', "cannot be swept", "did you mean 'workload'?"),
        ('"workload.connections"', '"baseline"', "sweep.key: 'baseline' cannot be swept", "known: "),
        ('"workload.connections"', '"workload"', "sweep.key: 'workload' is a table", "name a key in it"),
        ('"workload.connections"', '"workload.connections.x"', "'connections' is no table", "leave .x out"),
        ('"workload.connections"', '"workload.slow_clients"', "'workload.slow_clients' is a table", "clients.number"),
        ('"workload.connections"', '"workload.slow_clients.number"', "the workload has no slow_clients", "their keys"),
        ('"workload.connections"', '"placement.x.y"', "'placement' is no table", "leave .x.y out"),
        ('"workload.connections"', '"settings.nginx"', "sweep.key: 'settings.nginx' is a table", "name a key in it"),
        ('"workload.connections"', '"settings.ngnix.gzip"', "no arm uses the program 'ngnix'", "did you mean 'nginx'?"),
        ("[100, 1000]", "[100, 0]", "workload.connections = 0: Expected `int` >= 1", ""),
        ("[100, 1000]", '[100, "many"]', "workload.connections = many: Expected `int`", ""),
        ("[100, 1000]", "[100, 100]", "sweep.values: 100 stands there twice", "leave one"),
        ("[100, 1000]", '["a b"]', "sweep.values: 'a b'", "letters"),
        ("quick = [100]", "quick = [10]", "sweep.quick: 10 is not one of its values", "did you mean '100'?"),
        ("quick = [100]", "quick = []", "sweep.quick: empty", "quick = false"),
        ("at = 1000, e", "at = 500, e", "published: 'direct': at: 500 is not a value of the sweep", "'100'?"),
        ("at = 1000, e", "e", "published: 'direct': at: missing", ""),
        ("at = 1000, e", "at = 100, e", "published: 'direct' stands there twice at 100", ""),
        ("errored = true", "errored = false", "throughput_per_s: missing", "errored = true"),
        ("p99 =", "99th =", "latency_quantiles_ms: '99th'", "p50"),
        ('control = "direct"', "", "control: missing", ""),
        ("sweep =", "slice_s = 3\nsweep =", "slice_s: the slices are interleaved", "whole"),
        ("sweep =", 'slices = "hole"\nsweep =', "Invalid enum value 'hole'", "did you mean 'whole'?"),
        ("sweep =", 'slices = "whole"\nsoak = { length_s = 60 }\nsweep =', "soak: not in whole slices", ""),
        ("sweep =", 'workload.headers = [["Connection", "close"]]\nsweep =', "is hopcost's own", "requests_per"),
        ("sweep =", 'workload.headers = [["Accept", "a\\nb"]]\nsweep =', "is no header field", "Accept"),
        ("sweep =", 'as_published = { peer = "wrk" }\nsweep =', "either requests or duration_s", ""),
        ("sweep =", 'as_published = { peer = "wrk", requests = 9 }\nsweep =', "wrk only knows a duration", ""),
        ("sweep =", 'as_published = { peer = "wkr", requests = 9 }\nsweep =', "Invalid enum value 'wkr'", ""),
    ],
)  # fmt: skip
def test_what_contradicts_itself_is_refused_with_the_key(
    tmp_path: Path, old: str, new: str, message: str, hint: str
) -> None:
    with pytest.raises(UsageError) as caught:
        load(tmp_path, old, new)
    assert "mine.toml: experiments[0]" in caught.value.message
    assert message in caught.value.message
    assert hint in (caught.value.hint or "")


def test_settings_of_an_arm_name_a_program_of_it(tmp_path: Path) -> None:
    text = 'hops = [{ program = "origin", link = "http+tcp" }]'
    assert load(tmp_path, text, text + "\nsettings = { origin = {} }").arms["direct"].settings == {"origin": {}}
    with pytest.raises(UsageError, match=r"arms\.direct: settings: no hop of it is the program 'nginx'"):
        load(tmp_path, text, text + "\nsettings = { nginx = {} }")
