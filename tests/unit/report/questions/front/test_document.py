"""The answer of fronts: to the last byte, its sentence, its advice, what to do next."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import golden
import msgspec
import pytest
from known import known
from mocks import fronts
from mocks.mock_rig import MockRig

from hopcost.plan.plan import LeftOut
from hopcost.record.contents.run import StopReason
from hopcost.report import Format, render
from hopcost.report.questions.front import front_report
from hopcost.report.questions.front.document import sentence, short_command
from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.front.advice import Advice, Worth
from hopcost.statistics.questions.front.fronts import Front
from hopcost.statistics.questions.front.result import FrontResult
from hopcost.suites.arms.app import App
from hopcost.suites.experiments.expect import Compared, Expect


def shown(answer: FrontResult) -> FrontResult:
    """Without what is new with every test's run."""
    run = msgspec.structs.replace(
        answer.record.run, started_utc="2025-01-02T03:04:05Z", ended_utc="2025-01-02T03:08:15Z", hopcost="0"
    )
    return msgspec.structs.replace(
        answer, record=msgspec.structs.replace(answer.record, run=run, path=Path("records/front"))
    )


@pytest.fixture
def answer(rig: MockRig, tmp_path: Path) -> FrontResult:
    """Express: keepalive is worth 125 µs, a Unix socket and gzip nothing; a cache is forbidden."""
    made = fronts.express(rig, tmp_path, "keepalive,unix,gzip,cache", headers=[("Set-Cookie", "a=1")])
    return shown(made)


def page(answer: FrontResult, format: Format = Format.TEXT, *, details: bool = False) -> str:
    return render(front_report(answer, details=details), format)


def with_cpu(answer: FrontResult, front: Front, value: float, width: float, worth: Worth) -> FrontResult:
    """Another difference in CPU, in µs."""
    cpu = Interval(value=1000 * value, low=1000 * (value - width), high=1000 * (value + width))
    advice = [
        msgspec.structs.replace(entry, cpu=cpu, worth=worth) if entry.front is front else entry
        for entry in answer.advice
    ]
    return msgspec.structs.replace(answer, advice=advice)


@pytest.mark.parametrize(("format", "ending"), [(Format.TEXT, "txt"), (Format.MARKDOWN, "md"), (Format.JSON, "json")])
def test_the_answer_to_the_last_byte(answer: FrontResult, format: Format, ending: str) -> None:
    golden.compare(f"questions/front.{ending}", page(answer, format))


def test_details_to_the_last_byte(answer: FrontResult) -> None:
    golden.compare("questions/front-details.txt", page(answer, details=True).removeprefix(page(answer)))


@pytest.mark.parametrize(
    ("full", "shares", "below"),
    [
        (
            {"alone"},
            {"nginx": "≤", "keepalive": "≤"},
            "while the app idled (≥): shares of the app are upper bounds (≤).",
        ),
        ({"nginx"}, {"nginx": "≥", "keepalive": ""}, "while nginx idled (≥)."),
        (
            {"alone", "nginx"},
            {"nginx": "", "keepalive": "≤"},
            "while the app and nginx idled (≥): shares of the app are",
        ),
        (set(), {"nginx": "", "keepalive": ""}, ""),
    ],
)
def test_a_share_of_a_bound_is_a_bound(answer: FrontResult, full: set[str], shares: dict[str, str], below: str) -> None:
    rows = [msgspec.structs.replace(row, is_bound=row.arm in full) for row in answer.rows]
    text = page(msgspec.structs.replace(answer, rows=rows))
    lines = text.splitlines()
    for arm, mark in shares.items():
        line = next(line for line in lines if line.strip().startswith(f"{arm} "))
        share = next(word for word, unit in pairwise(line.split()) if unit == "%")
        assert share.rstrip("0123456789.") == mark, line
    cautions = [line for line in lines if "load generator was full" in line]
    assert len(cautions) == bool(full)
    assert not full or below in " ".join(text.split())


def test_a_stack_that_ran_in_a_slower_minute_does_not_contradict_its_share(answer: FrontResult) -> None:
    slower = [
        msgspec.structs.replace(row, throughput_per_s=known(row.throughput_per_s) / 2) if row.arm == "gzip" else row
        for row in answer.rows
    ]
    drifted = msgspec.structs.replace(answer, rows=slower)
    assert page(drifted, details=True) == page(answer, details=True)
    assert '"throughput_per_s": 30000000.0' in page(drifted, Format.JSON), "what was measured"
    alone = known(drifted.row("alone"))
    for row in drifted.rows[1:]:
        shares = known(drifted.per_s(row)) / known(alone.throughput_per_s), known(row.ratio).value
        assert shares[0] == pytest.approx(shares[1]), row.arm


def test_it_fits_a_small_terminal(answer: FrontResult) -> None:
    assert max(map(len, page(answer, details=True).splitlines())) <= 80


def test_the_answer_on_three_fronts_has_fifteen_lines(rig: MockRig, tmp_path: Path) -> None:
    before, _, config = page(shown(fronts.express(rig, tmp_path))).partition("# nginx, inside http")
    assert len([line for line in before.splitlines() if line.strip()]) <= 15 and config


def test_keepalive_is_what_to_take(answer: FrontResult) -> None:
    words = " ".join(page(answer).split())
    assert "Take nginx with upstream keepalive: it adds 25.0 µs" in words
    assert "upstream keepalive: −125 µs" in words and "2.0 × the throughput" in words
    assert "Unix socket: −1.5 µs" in words and "below your app's noise, leave it" in words
    assert "not measured: cache: the answer has Set-Cookie" in words


def test_nothing_but_nginx_is_worth_it(answer: FrontResult) -> None:
    flat = with_cpu(answer, Front.KEEPALIVE, -1.0, 2.0, Worth.NOISE)
    assert sentence(msgspec.structs.replace(flat, best=Front.NGINX)).startswith(
        "Take plain nginx, nothing more is worth its line: it adds 150 µs"
    )


def test_a_front_that_saves_is_said_to_save(rig: MockRig, tmp_path: Path) -> None:
    rig.slice_cpu_ns = 10_000_000
    rig.answers = {"nginx": 40, "nginx-aa": 40, "keepalive": 80, "unix": 81}
    plan = fronts.plan_of(idle_timeout_s=None, keeps_connections=False, is_fastcgi=True, processes=1)
    words = sentence(shown(fronts.measured(rig, tmp_path, plan)))
    assert "it saves 125 µs (125–125) of CPU in a request of 250 µs and gives 200 %" in words


def test_what_may_save_or_cost_is_not_said_to_add_less_than_nothing(rig: MockRig, tmp_path: Path) -> None:
    rig.answers = {"alone": 40, "alone-aa": 40, "nginx": 41, "keepalive": 41, "unix": 41}
    rig.slice_cpu_ns = 10_000_000
    busy = shown(fronts.measured(rig, tmp_path, fronts.plan_of(), on_busy_machine=True))
    rows = [
        row
        if row.added is None
        else msgspec.structs.replace(row, added=Interval(value=-6000.0, low=-20_000.0, high=8000.0))
        for row in busy.rows
    ]
    words = sentence(msgspec.structs.replace(busy, rows=rows))
    assert "As measured nginx changes a request of 250 µs by −6 µs (−20 to +8) of CPU and gives 103 %" in words


@pytest.mark.parametrize(
    ("command", "short"),
    [
        (["/srv/bin/app", "--fast"], "/srv/bin/app --fast"),
        (["/srv/a/folder/with/a/long/name/gunicorn", "app:app"], "gunicorn app:app"),
        (["/srv/a/folder/with/a/long/name/gunicorn", "app:app", "--threads", "4"], "gunicorn app:app --threads 4"),
        (["gunicorn", "app:app", "--threads", "4", "--bind", ":8000"], "gunicorn app:app --threads 4 --…"),
    ],
)
def test_a_long_command_loses_its_folder_before_its_name(command: list[str], short: str) -> None:
    assert short_command(command) == short


def test_an_experiment_that_broke_off_is_told(answer: FrontResult) -> None:
    first, *others = answer.experiments
    assert first.ending is not None
    broken = msgspec.structs.replace(first.ending, why=StopReason.FAILED, detail="5 void blocks: a neighbour")
    more: dict[str, Any] = {"experiments": [msgspec.structs.replace(first, ending=broken), *others]}
    text = " ".join(page(msgspec.structs.replace(answer, **more)).split())
    assert "! nginx ended early: 5 server starts did not count: a neighbour" in text


def test_what_is_not_settled_is_not_called_worthless(answer: FrontResult) -> None:
    wide = with_cpu(answer, Front.KEEPALIVE, -5.0, 20.0, Worth.OPEN)
    words = sentence(msgspec.structs.replace(wide, best=Front.NGINX))
    assert words.startswith("Take plain nginx, as long as nothing more is settled: it adds")


def test_what_is_not_settled_asks_for_more_time(answer: FrontResult) -> None:
    words = " ".join(page(with_cpu(answer, Front.KEEPALIVE, -5.0, 20.0, Worth.OPEN)).split())
    assert "upstream keepalive: −5 µs (−25 to +15) CPU per request" in words and "not settled: more --time" in words
    assert "next hopcost front --time 3m -- node server.js" in words


def test_with_anyway_nothing_is_advised(rig: MockRig, tmp_path: Path) -> None:
    rig.answers = {"alone": 100, "alone-aa": 100, "nginx": 40, "keepalive": 80, "unix": 81}
    rig.slice_cpu_ns = 10_000_000
    busy = shown(fronts.measured(rig, tmp_path, fronts.plan_of(), on_busy_machine=True))
    words = " ".join(page(busy).split())
    assert "As measured nginx adds 150 µs" in words and "no verdict" in words and "Take" not in words
    assert words.count("--anyway") == 1
    assert "keepalive 64;" in words and "throughput, no verdict" in words.replace("# ", "")
    assert "server 127.0.0.1" in words and "server unix:" not in words, "nothing has earned a change of the app"


def test_an_interrupted_answer_says_so(answer: FrontResult) -> None:
    run = msgspec.structs.replace(answer.record.run, ended_utc=None)
    stopped = msgspec.structs.replace(answer, record=msgspec.structs.replace(answer.record, run=run))
    assert "! interrupted: results so far" in page(stopped)
    assert sentence(stopped).startswith("As far as the run got, take nginx with upstream keepalive: ")
    assert "interrupted" not in page(answer)


@pytest.mark.parametrize(("errors", "words"), [(1, "had 1 error:"), (2000, "had 2,000 errors:")])
def test_errors_are_counted_in_words(answer: FrontResult, errors: int, words: str) -> None:
    first, *others = answer.experiments
    behind, *beside = first.arms
    arms = [msgspec.structs.replace(behind, errors={"read": errors}), *beside]
    faulty = msgspec.structs.replace(answer, experiments=[msgspec.structs.replace(first, arms=arms), *others])
    assert f"! {behind.name} {words}" in " ".join(page(faulty).split())


def test_a_front_that_failed_is_told(rig: MockRig, tmp_path: Path) -> None:
    rig.fails_at_start = {"unix"}
    failed = shown(fronts.express(rig, tmp_path))
    assert "! unix failed: it would not start\n  hint: see its log\n" in page(failed)


def test_without_a_result_the_reason_is_told(rig: MockRig, tmp_path: Path) -> None:
    rig.fails_at_start = {"alone"}
    nothing = shown(fronts.express(rig, tmp_path))
    assert "No result: it would not start" in " ".join(page(nothing).split())


def test_services_are_shared_and_changes_are_not_compared(rig: MockRig, tmp_path: Path) -> None:
    app = msgspec.structs.replace(fronts.APP, needs=["127.0.0.1:5432"])
    masked = Expect(compared=Compared.MASKED, masked=[(1, 3)])
    made = fronts.express(rig, tmp_path, app=app, expect=masked, changing=["12 bytes of the body at 103"])
    words = " ".join(page(shown(made)).split())
    assert "All stacks share 127.0.0.1:5432" in words and "since it changes from answer to answer: 12 bytes" in words


@pytest.mark.parametrize(
    ("front", "words"),
    [
        (Front.TLS, "handshakes cost more"),
        (Front.CACHE, "answers may be 1 s old"),
        (Front.COPIES, "both share one core here"),
    ],
)
def test_what_a_figure_does_not_tell_stands_beside_it(answer: FrontResult, front: Front, words: str) -> None:
    cpu = Interval(value=9000.0, low=8000.0, high=10_000.0)
    entry = Advice(front, "keepalive", cpu, Interval(value=0.9, low=0.88, high=0.92), Worth.COSTS)
    more: dict[str, Any] = {"advice": [*answer.advice, entry]}
    assert words in " ".join(page(msgspec.structs.replace(answer, **more)).split())


def test_http2_stands_beside_tls_with_its_streams(rig: MockRig, tmp_path: Path) -> None:
    words = " ".join(page(fronts.express(rig, tmp_path, "tls,http2", streams=10)).split())
    assert "HTTP/2 at nginx: " in words and "; on kept connections, 10 requests at a time on each" in words


def test_a_secret_of_the_command_is_not_shown(rig: MockRig, tmp_path: Path) -> None:
    app = App(command=["node", "server.js", "--api-token=s3cretvalue99"], folder="/srv/app")
    answer = shown(fronts.express(rig, tmp_path, app=app))
    assert not any("s3cretvalue99" in page(answer, format) for format in (Format.TEXT, Format.MARKDOWN, Format.JSON))


def test_a_long_list_of_reasons_is_whole(answer: FrontResult) -> None:
    left = [LeftOut(name=f"front-{number}", reason="it cannot be had", remedy="install it") for number in range(5)]
    question = msgspec.structs.replace(answer.question, left_out=left)
    assert page(msgspec.structs.replace(answer, question=question)).count("it cannot be had; hint: install it") == 5
