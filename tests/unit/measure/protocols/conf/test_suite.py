"""Suites of phases: each arm the user's files with its edits, before the origin or the app."""

from __future__ import annotations

import msgspec
from mocks import confs
from mocks.confs import EDITS, KEEPALIVE, LOG, REAL_IP

from hopcost.measure.protocols.conf.plan import AppStack, ConfPlan
from hopcost.measure.protocols.conf.suite import APP, conf_suite, confirming_phases, screening_phase, whole_suite
from hopcost.nginx.edits import Edit
from hopcost.statistics.questions.conf.design import together
from hopcost.statistics.questions.conf.question import Candidate, ConfQuestion, Screening
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Hop, Link
from hopcost.suites.experiments.expect import Expect
from hopcost.suites.experiments.workload import Workload

BEHIND = Hop(program=APP, link=Link.HTTP_TCP)
LIMIT = Edit(confs.FILE, 1, 5, "")


def plan(**changes: object) -> ConfPlan:
    made = confs.plan_of(candidates=[KEEPALIVE, LOG, REAL_IP])
    configuration = msgspec.structs.replace(made.screened.configuration, edits=[LIMIT])
    screened = msgspec.structs.replace(made.screened, configuration=configuration)
    return msgspec.structs.replace(made, screened=screened, **changes)


def confirming(made: ConfPlan, *names: str) -> ConfQuestion:
    return msgspec.structs.replace(made.question, confirmed=list(names), whole=[n for n in names if n == "keepalive"])


def test_a_screening_lays_what_is_fixed_and_the_limits_under_all_arms() -> None:
    made = plan()
    screening = Screening("rest", together(["access-log-off", "real-ip-off"], "rest"), fixed=["keepalive"])
    suite = conf_suite(made, [screening_phase(made, screening)])
    edits = {name: configuration.edits for name, configuration in suite.configurations.items()}
    assert edits["rest"] == [LIMIT, *EDITS["keepalive"]]
    assert edits["rest-1"] == [LIMIT, *EDITS["keepalive"], *EDITS["access-log-off"], *EDITS["real-ip-off"]]
    assert [experiment.baseline for experiment in suite.experiments] == ["rest"]


def test_the_confirmation_runs_before_the_app_and_the_screening_before_the_origin() -> None:
    app = App(command=["./serve"])
    workload = Workload(expect=Expect(status=200))
    made = plan(app_stack=AppStack(BEHIND, app, workload))
    screening = screening_phase(made, Screening("rest", together(["access-log-off"], "rest")))
    suite = conf_suite(made, [screening, *confirming_phases(made, confirming(made, "keepalive"))])
    behind = {name: arm.hops[1].program for name, arm in suite.arms.items()}
    assert (behind["rest"], behind["as-is"], behind["keepalive"]) == ("origin", "app", "app")
    assert suite.apps == {APP: app}
    assert [experiment.workload for experiment in suite.experiments] == [made.screened.workload, workload]


def test_an_app_that_drops_connections_early_is_confirmed_in_several_experiments() -> None:
    app = App(command=["./serve"], idle_timeout_s=5.0)
    made = plan(app_stack=AppStack(BEHIND, app, Workload()))
    phases = confirming_phases(made, confirming(made, "keepalive", "access-log-off", "real-ip-off"))
    assert [list(phase.arms) for phase in phases] == [
        ["as-is", "keepalive"],
        ["as-is", "access-log-off"],
        ["as-is", "real-ip-off"],
    ]
    assert [phase.name for phase in phases] == ["confirmed", "confirmed-2", "confirmed-3"]


def test_a_single_change_is_its_own_whole_diff() -> None:
    made = plan()
    (phase,) = confirming_phases(made, confirming(made, "keepalive", "access-log-off"))
    assert list(phase.arms) == ["as-is", "keepalive", "access-log-off"]


def test_with_traps_to_mend_they_are_an_arm_and_the_whole_is_one() -> None:
    made = plan(mends=[Edit(confs.FILE, 400, 405, "x")])
    question = msgspec.structs.replace(confirming(made, "keepalive"), traps=[confs.UPGRADE])
    (phase,) = confirming_phases(made, question)
    assert list(phase.arms) == ["as-is", "keepalive", "mends", "whole-diff"]
    assert phase.arms["whole-diff"] == [*EDITS["keepalive"], *made.mends]


def test_without_anything_to_confirm_there_is_no_phase() -> None:
    made = plan()
    assert confirming_phases(made, made.question) == []


def test_an_arm_without_http_2_is_asked_over_http_1_1_and_all_others_over_http_2() -> None:
    off = Candidate("no-http2", "no HTTP/2", ["nginx.conf:3"], "many requests at a time on one connection")
    made = plan()
    screened = msgspec.structs.replace(made.screened, link=Link.HTTP2_TLS, workload=Workload(streams=10))
    question = msgspec.structs.replace(made.question, candidates=[LOG, off], streams=10)
    edits = {LOG.name: EDITS[LOG.name], off.name: [Edit(confs.FILE, 30, 36, ""), Edit(confs.FILE, 50, 56, "")]}
    made = msgspec.structs.replace(made, screened=screened, question=question, edits=edits)
    screening = Screening("rest", together([LOG.name, off.name], "rest"))
    suite = whole_suite(made, [screening_phase(made, screening), *confirming_phases(made, confirming(made, off.name))])
    links = {name: (len(suite.configurations[name].edits), arm.hops[0].link) for name, arm in suite.arms.items()}
    assert links["as-is"] == (1, Link.HTTP2_TLS) and links["no-http2"] == (3, Link.HTTPS_TCP)
    assert {link for edits, link in links.values() if edits in (1, 2)} == {Link.HTTP2_TLS}
    assert {link for edits, link in links.values() if edits > 2} == {Link.HTTPS_TCP}
