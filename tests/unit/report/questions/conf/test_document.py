"""The answer on a configuration: to the last byte, its sentence, its rows, its diff, what to do next."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import golden
import msgspec
import pytest
from mocks import confs
from mocks.confs import BUFFER, DEBUG, GZIP, KEEPALIVE, LOG, REAL_IP, UPGRADE

from hopcost.nginx.edits import Edit
from hopcost.record.contents.run import StopReason
from hopcost.report import Format, render
from hopcost.report.formats.text import text as terminal_text
from hopcost.report.questions.conf import conf_report
from hopcost.report.questions.conf.document import sentence
from hopcost.statistics.intervals import Interval
from hopcost.statistics.questions.conf.question import Candidate, FoundTrap, Unseen
from hopcost.statistics.questions.conf.result import ConfResult, Worth

FIGURE = re.compile(r"-?\d+\.\d+(e-?\d+)?(?=[,\n])")
MEND = [Edit(confs.FILE, 400, 405, "upgrade mended;")]


def shown(answer: ConfResult) -> ConfResult:
    """Without what is new with every test's run."""
    run = msgspec.structs.replace(
        answer.record.run,
        started_utc="2025-01-02T03:04:05Z",
        ended_utc="2025-01-02T03:08:45Z",
        hopcost="0",
        command=["hopcost", "conf", "nginx.conf", "--seed", "1"],
    )
    return msgspec.structs.replace(
        answer, record=msgspec.structs.replace(answer.record, run=run, path=Path("records/conf"))
    )


def with_figure(answer: ConfResult, name: str, value: float, half: float, worth: Worth, **more: Any) -> ConfResult:
    """Another confirmed figure, in µs."""
    interval = Interval(value=1000 * value, low=1000 * (value - half), high=1000 * (value + half))
    findings = [
        msgspec.structs.replace(finding, confirmed=interval, worth=worth, **more)
        if finding.candidate.name == name
        else finding
        for finding in answer.findings
    ]
    return msgspec.structs.replace(answer, findings=findings)


@pytest.fixture
def answer(tmp_path: Path) -> ConfResult:
    """keepalive saves half of it, gzip and the log cost something, a trap is mended."""
    plan = confs.plan_of(
        mends=MEND,
        candidates=[KEEPALIVE, GZIP, LOG, BUFFER, REAL_IP],
        traps=[UPGRADE, DEBUG],
        notes=["user nginx is new"],
    )
    made = shown(confs.measured(tmp_path, plan))
    for name, value, half, worth in (
        ("keepalive", -25.3, 1.1, Worth.SAVES),
        ("gzip-off", -2.2, 0.6, Worth.SAVES),
        ("access-log-buffer", -0.4, 0.6, Worth.OPEN),
    ):
        made = with_figure(made, name, value, half, worth)
    together = Interval(value=-25_100.0, low=-26_300.0, high=-23_900.0)
    diff = next(diff.text for diff in made.question.diffs if diff.changes == ["keepalive"])
    question = msgspec.structs.replace(made.question, whole=["keepalive"])
    return msgspec.structs.replace(
        made,
        question=question,
        together=together,
        added_up=-25_300.0,
        kept=["keepalive"],
        diff=diff,
        disagreement=Interval(value=200.0, low=-1_500.0, high=1_900.0),
    )


def unwrapped(answer: ConfResult, *, details: bool = False) -> str:
    """The page on one line."""
    return " ".join(page(answer, details=details).split())


def page(answer: ConfResult, format: Format = Format.TEXT, *, details: bool = False) -> str:
    return render(conf_report(answer, details=details), format)


def rounded(output: str) -> str:
    """Figures with nine digits: those behind them depend on the processor, by the order in which it adds."""
    return FIGURE.sub(lambda figure: f"{float(figure[0]):.9g}", output)


@pytest.mark.parametrize(("format", "ending"), [(Format.TEXT, "txt"), (Format.MARKDOWN, "md"), (Format.JSON, "json")])
def test_the_answer_to_the_last_byte(answer: ConfResult, format: Format, ending: str) -> None:
    output = page(answer, format)
    golden.compare(f"questions/conf/conf.{ending}", rounded(output) if format is Format.JSON else output)


def test_the_details_to_the_last_byte(answer: ConfResult) -> None:
    golden.compare("questions/conf/conf-details.txt", page(answer, details=True))


def lines_before_the_diff(answer: ConfResult) -> list[str]:
    return [line for line in page(answer).partition("\n\n  # ")[0].splitlines() if line]


def test_the_screen_is_short(answer: ConfResult) -> None:
    assert max(map(len, page(answer).splitlines())) <= 80
    lines = lines_before_the_diff(answer)
    assert len(lines) <= 15
    assert "buys" not in "\n".join(lines)


@pytest.mark.parametrize("longer", range(24))
def test_a_plain_terminal_holds_what_stands_above_the_diff(answer: ConfResult, longer: int) -> None:
    """An arrow is two letters there."""
    finding = answer.of("keepalive")
    place = "nginx.conf:" + "1" * longer
    moved = msgspec.structs.replace(finding, candidate=msgspec.structs.replace(finding.candidate, places=[place]))
    findings = [moved if other is finding else other for other in answer.findings]
    shown = terminal_text(conf_report(msgspec.structs.replace(answer, findings=findings)).document(), ascii=True)
    comments = [line for line in shown.splitlines() if line.startswith("  # ")]
    assert "upstream keepalive 2 -> 64" in comments[0]
    assert max(map(len, comments)) <= 80


def test_it_stays_short_however_much_there_is_to_say(answer: ConfResult) -> None:
    long = "it does " + "one thing or another " * 12
    question = msgspec.structs.replace(
        answer.question,
        traps=[FoundTrap(f"trap-{number}", f"{number}: {long}", "nginx.conf:40") for number in range(9)],
        notes=[long] * 9,
        limits=[long] * 9,
        unseen=[Unseen(long, ["nginx.conf:50"], long)] * 9,
    )
    more = [
        msgspec.structs.replace(answer.findings[-1], candidate=Candidate(f"c{number}", long, [], "nothing"))
        for number in range(9)
    ]
    full = msgspec.structs.replace(answer, question=question, findings=[*answer.findings, *more])
    assert len(lines_before_the_diff(full)) <= 15
    text = unwrapped(full)
    assert "8 more traps: --details" in text
    assert "9 limits off, 9 differences here, 9 changes not seen: --details" in text
    assert "upstream keepalive 2 → 64" in text


def test_the_sentence_says_what_the_diff_saves(answer: ConfResult) -> None:
    assert sentence(answer) == "Take the diff: it saves nginx 25 µs (24–26) of 50 µs of CPU per request."


def test_the_diff_has_what_each_change_earned_above_it(answer: ConfResult) -> None:
    assert "# upstream keepalive 2 → 64 (nginx.conf:31): −25 µs (−26 to −24)" in page(answer)
    assert '# Connection "upgrade" goes to the app always (nginx.conf:40): mended' in page(answer)


@pytest.mark.parametrize(
    ("kept", "short", "how"),
    [
        (["keepalive"], "nginx.conf:31: (mended) few", "few (mended)"),
        ([], "nginx.conf:31: few", "few (upstream keepalive 2 → 64 mends it)"),
    ],
)
def test_a_trap_says_which_change_mends_it(answer: ConfResult, kept: list[str], short: str, how: str) -> None:
    trap = FoundTrap("keepalive-too-small", "few", "nginx.conf:31", change="keepalive")
    question = msgspec.structs.replace(answer.question, traps=[trap])
    changed = msgspec.structs.replace(answer, question=question, kept=kept)
    assert short in unwrapped(changed)
    assert how in unwrapped(changed, details=True)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"kept": []}, "Take the diff: it mends 1 trap. No change saves CPU without a price."),
        (
            {"kept": [], "diff": None},
            "Leave the file as it is: no change saves some of nginx's 50 µs of CPU per request without a price.",
        ),
        (
            {"is_settled": False},
            "No verdict: as measured, nginx needs 50 µs of CPU per request as the file is.",
        ),
        ({"why_nothing": "it ended"}, "No result: it ended."),
    ],
)
def test_the_sentence_of_other_outcomes(answer: ConfResult, changes: dict[str, Any], expected: str) -> None:
    assert sentence(msgspec.structs.replace(answer, **changes)) == expected


def test_while_only_the_screening_is_done_nothing_is_confirmed(answer: ConfResult) -> None:
    """The run may have been stopped, or go on."""
    screened = [msgspec.structs.replace(finding, worth=Worth.SCREENED) for finding in answer.findings]
    early = msgspec.structs.replace(answer, findings=screened, kept=[], diff=None)
    assert sentence(early) == "Nothing is confirmed: its last phase is not done."


def with_gap(answer: ConfResult, added_up: float, half: float) -> ConfResult:
    """The whole is −25.1 ± 1.2 µs; its parts another sum, the gap known to ± `half`."""
    gap = -25_100.0 - added_up
    return msgspec.structs.replace(
        answer, added_up=added_up, disagreement=Interval(value=gap, low=gap - half, high=gap + half)
    )


def test_changes_that_interact_are_told(answer: ConfResult) -> None:
    text = unwrapped(with_gap(answer, -31_000.0, 2_000.0))
    assert "! The changes interact: together −25 µs (−26 to −24), one at a time they add up to −31.0 µs." in text
    assert "The gap is +6 µs (4–8)." in text


def test_a_gap_that_may_be_noise_is_told_as_such(answer: ConfResult) -> None:
    text = unwrapped(with_gap(answer, -28_000.0, 4_000.0))
    assert "Together −25 µs (−26 to −24), one at a time −28.0 µs: the gap of +3 µs (−1 to +7)" in text
    assert "may be noise" in text
    assert "interact" not in text


def test_parts_that_add_up_are_a_detail(answer: ConfResult) -> None:
    fitting = with_gap(answer, -25_300.0, 2_000.0)
    assert "one at a time" not in page(fitting)
    assert "as much as one at a time (−25.3 µs)" in " ".join(page(fitting, details=True).split())


def test_a_diff_says_in_which_folder_patch_takes_it(answer: ConfResult) -> None:
    question = msgspec.structs.replace(answer.question, patch_folder="/etc/nginx")
    assert "# patch -p0 takes it in /etc/nginx" in page(msgspec.structs.replace(answer, question=question))


def test_one_start_is_marked_as_such(answer: ConfResult) -> None:
    question = msgspec.structs.replace(answer.question, traps=[])
    row = next(
        line for line in page(msgspec.structs.replace(answer, question=question)).splitlines() if "real_ip off" in line
    )
    assert "~" in row
    assert row.endswith("one start")


def test_what_limits_the_load_and_what_was_not_seen_is_told(answer: ConfResult) -> None:
    short = unwrapped(answer)
    assert "1 limit off, 1 difference here, 1 change not seen: --details" in short
    text = " ".join(page(answer, details=True).split())
    assert "limit_req zone=one (nginx.conf:22)" in text
    assert "ssl_session_cache (nginx.conf:50): --new-connections shows it" in text


def test_a_screening_that_came_to_nothing_is_told(answer: ConfResult) -> None:
    for ending in answer.record.run.endings:
        if ending.experiment == "rest":
            ending.why, ending.detail = StopReason.FAILED, "void: other programs"
    assert "! rest: void: other programs" in page(answer)


def test_a_change_without_a_verdict_says_why(answer: ConfResult) -> None:
    made = with_figure(answer, "gzip-off", -2.2, 0.6, Worth.NO_VERDICT, why="it failed in block 2")
    assert "? gzip off: no verdict: it failed in start 2" in unwrapped(made)


def test_tls_that_is_left_out_is_told_in_the_short_answer(answer: ConfResult) -> None:
    note = "nginx.conf:27: TLS to the upstream is left out, and what it costs"
    question = msgspec.structs.replace(answer.question, notes=[note])
    assert "TLS to an upstream left out" not in page(answer)
    assert "TLS to an upstream left out" in page(msgspec.structs.replace(answer, question=question))


def test_an_upload_is_called_so_in_the_title(answer: ConfResult) -> None:
    uploading = msgspec.structs.replace(answer.question, method="POST")
    assert " · POST / (" in page(msgspec.structs.replace(answer, question=uploading))
    assert " · GET / (" in page(answer)


def test_what_clients_speak_stands_in_the_title(answer: ConfResult) -> None:
    questions = {streams: msgspec.structs.replace(answer.question, streams=streams) for streams in (1, 10)}
    over = {streams: msgspec.structs.replace(answer, question=question) for streams, question in questions.items()}
    assert "HTTP/2" not in page(answer)
    assert "32 connections · HTTP/2 · " in page(over[1], Format.MARKDOWN)
    assert "32 connections · HTTP/2 × 10" in page(over[10], Format.MARKDOWN)
    assert "10 requests at a time on each connection" in " ".join(page(over[10], details=True).split())
