"""The suite of an app and its fronts: who is alive together, what each stack is made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mocks import fronts

from hopcost.errors import UsageError
from hopcost.plan.make import make_plan
from hopcost.plan.options import MachineLimits, RunOptions
from hopcost.plan.turns import Turns
from hopcost.suites.arms.app import App
from hopcost.suites.experiments.expect import Compared, Expect
from hopcost.suites.experiments.experiment import Slices
from hopcost.suites.experiments.request import Method
from hopcost.suites.experiments.workload import Workload
from hopcost.suites.read import read_suite
from hopcost.suites.suite import Suite
from hopcost.suites.toml_text import suite_text

LIMITS = MachineLimits(dict.fromkeys(fronts.PROGRAMS, fronts.INSTALLED), [0, 1], siblings={}, open_files=20_000)


def suite_of(*wanted: str, **changes: Any) -> Suite:
    return fronts.plan_of(*wanted, **changes).suite


def groups(suite: Suite) -> list[list[str]]:
    return [experiment.arms for experiment in suite.experiments]


def test_five_seconds_hold_the_app_twice_and_one_front() -> None:
    assert groups(suite_of()) == [["alone", "nginx"], ["alone", "keepalive"], ["alone", "unix"]]


def test_an_app_that_waits_for_ever_has_as_many_together_as_there_are_six() -> None:
    suite = suite_of("haproxy,caddy,keepalive,unix,tls", idle_timeout_s=None)
    assert groups(suite) == [["alone", "nginx", "keepalive", "unix"], ["alone", "haproxy", "caddy", "tls"]]


def test_two_seconds_hold_no_turns_so_all_are_in_one_experiment() -> None:
    plan = fronts.plan_of(idle_timeout_s=2.0)
    assert groups(plan.suite) == [["alone", "nginx", "keepalive", "unix"]]
    planned = make_plan(plan.complete, [], RunOptions(seed=1, time_s=600.0), LIMITS)
    assert [experiment.turns for experiment in planned.experiments] == [Turns.WHOLE]


def test_what_was_planned_together_takes_turns() -> None:
    for idle_s in (5.0, 10.0, None):
        plan = fronts.plan_of("all", idle_timeout_s=idle_s)
        planned = make_plan(plan.complete, [], RunOptions(seed=1, time_s=600.0), LIMITS)
        assert {each.name for each in planned.experiments if each.turns is Turns.WHOLE} == {"cache"}


def test_nginx_as_debian_ships_it_and_one_thing_more_each() -> None:
    arms = suite_of("all").arms
    plain = arms["nginx"].hops[0].settings
    assert plain["upstream_keepalive"] == 0 and plain["access_log"] is True and plain["forwarded_headers"] is True
    kept = plain | {"upstream_keepalive": 64, "upstream_keepalive_timeout_s": 4}
    assert arms["keepalive"].hops[0].settings == kept
    assert arms["unix"].hops[0].settings == kept and arms["unix"].hops[1].link.is_unix
    assert arms["gzip"].hops[0].settings == kept | {"gzip": True}
    assert arms["cache"].hops[0].settings == kept | {"cache_s": 1}
    assert arms["tls"].hops[0].link.value == "https+tcp" and arms["tls"].hops[0].settings == kept
    assert arms["http2"].hops[0].link.value == "http2+tls" and arms["http2"].hops[0].settings == kept
    assert arms["copies"].hops[1].copies == 2
    assert [hop.program for hop in arms["haproxy"].hops] == ["haproxy", "app"]


def test_without_keepalive_everything_stands_on_plain_nginx() -> None:
    arms = suite_of(keeps_connections=False, idle_timeout_s=None).arms
    assert list(arms) == ["alone", "nginx", "unix"] and arms["unix"].hops[0].settings["upstream_keepalive"] == 0


def test_gzip_is_asked_for_and_a_cache_lives_in_wall_time() -> None:
    suite = suite_of("gzip,cache")
    gzip, cache = suite.experiment("gzip"), suite.experiment("cache")
    assert gzip.workload.headers == [["Accept-Encoding", "gzip"]] and gzip.slices is Slices.INTERLEAVED
    assert cache.slices is Slices.WHOLE and cache.workload.headers == []


def test_compressed_answers_that_change_are_compared_by_their_status() -> None:
    suite = suite_of("gzip", expect=Expect(compared=Compared.LENGTH, status=200))
    assert suite.experiment("gzip").workload.expect == Expect(compared=Compared.STATUS, status=200)
    assert suite.experiment("nginx").workload.expect.compared is Compared.LENGTH


def test_over_fastcgi_nginx_is_the_baseline_and_sends_the_script() -> None:
    suite = suite_of(
        idle_timeout_s=None,
        keeps_connections=False,
        is_fastcgi=True,
        processes=5,
        script="/srv/app/index.php",
        workload=Workload(connections=4),
    )
    assert groups(suite) == [["nginx", "keepalive", "unix"]] and suite.experiments[0].baseline == "nginx"
    plain, kept = (suite.arms[name].hops for name in ("nginx", "keepalive"))
    assert plain[1].link.value == "fastcgi+tcp" and plain[0].settings["script"] == "/srv/app/index.php"
    assert kept[0].settings["upstream_keepalive"] == 2


def test_over_fastcgi_nginx_alone_is_no_question() -> None:
    with pytest.raises(UsageError, match="there is none"):
        suite_of("nginx", is_fastcgi=True, keeps_connections=False)


def test_over_fastcgi_the_reasons_against_all_others_are_told() -> None:
    app = App(command=["php-fpm", "-F"], port=9000)
    with pytest.raises(UsageError, match="each of the app's 4 processes") as refusal:
        suite_of(app=app, is_fastcgi=True, keeps_connections=False, processes=5)
    assert "unix: nothing tells the app" in refusal.value.message and "--connections 4 or " in str(refusal.value.hint)


def test_a_command_for_the_socket_is_an_app_of_its_own() -> None:
    app = App(command=["uvicorn", "a:app", "--port", "{port}"], folder="/srv/app")
    socket_app = App(command=["uvicorn", "a:app", "--uds", "{socket}"], folder="/srv/app")
    suite = suite_of(app=app, socket_app=socket_app)
    assert suite.apps["app-socket"] == socket_app
    assert suite.arms["unix"].hops[1].program == "app-socket" and suite.arms["keepalive"].hops[1].program == "app"


@pytest.mark.parametrize("wanted", [[], ["all"]])
def test_the_suite_is_written_and_read_back_equal(wanted: list[str], tmp_path: Path) -> None:
    app = App(
        command=["node", "server.js", 'with "quotes" and \\', "{port}"], folder="/srv/app",
        environment={"SECRET": "tab\there"}, needs=["127.0.0.1:5432"],
    )  # fmt: skip
    plan = fronts.plan_of(*wanted, app=app)
    path = tmp_path / "front.toml"
    path.write_text(suite_text(plan.suite, ["a comment"]), encoding="utf-8")
    assert read_suite(str(path)) == plan.complete


def test_http2_has_its_streams_to_itself() -> None:
    suite = suite_of("tls,http2", streams=10, idle_timeout_s=None)
    assert groups(suite) == [["alone", "nginx", "tls"], ["alone", "http2"]]
    assert [experiment.workload.streams for experiment in suite.experiments] == [1, 10]


@pytest.mark.parametrize(
    ("workload", "mib"),
    [
        (Workload(method=Method.POST, body_text="x" * (1 << 20)), None),
        (Workload(method=Method.POST, body_text="ö" * (1 << 20)), 2),
        (Workload(method=Method.PUT, body_bytes=(2 << 20) + 1), 3),
    ],
    ids=["as nginx allows", "in bytes", "digits"],
)
def test_a_front_takes_uploads_as_large_as_the_load(workload: Workload, mib: int | None) -> None:
    front = suite_of("nginx", workload=workload).arms["nginx"].hops[0]
    assert front.settings.get("body_mib_most") == mib
