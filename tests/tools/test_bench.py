"""The page of `make bench`: a section that is measured again takes the place of the old one; the others stay."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from hopcost.history.history import History
from hopcost.page.app import make_app
from tools import markdown
from tools.bench import contenders, history_page
from tools.bench import generators as script
from tools.bench.sections import beside_earlier, sections


def test_only_what_was_measured_is_replaced() -> None:
    old = script.written({"64 connections": "### 64 connections\n\nold", "1 MiB": "### 1 MiB\n\nkept"})
    done = {"64 connections": "### 64 connections\n\nnew"}
    assert script.written({**script.parts(old), **done}) == old.replace("\nold", "\nnew")


def test_the_page_in_the_repository_is_in_this_form() -> None:
    page = script.PAGE.read_text(encoding="utf-8")
    text = markdown.part(page, script.PART)
    assert script.written(script.parts(text)).strip() == text
    assert markdown.replace_part(page, script.PART, text) == page


@pytest.mark.parametrize(
    ("name", "kept", "closed"),
    [
        ("wrk", "-t 1 -c 9 -d 1s U", "-t 1 -c 9 -d 1s -H Connection: close U"),
        ("ab", "-q -k -c 9 -t 1 -n 200000 U", "-q -c 9 -t 1 -n 200000 U"),
    ],
)
def test_peers_keep_connections_or_close_them(name: str, kept: str, closed: str) -> None:
    assert " ".join(contenders.contender(name).words(9, 1, "U")) == kept
    assert " ".join(contenders.contender(name, keep_alive=False).words(9, 1, "U")) == closed


def test_peers_that_can_are_asked_over_a_unix_socket() -> None:
    (section,) = (section for section in sections(Path("engine"), ["wrk", "h2load", "oha"]) if section.link.is_unix)
    assert section.compared_with == "h2load" and "wrk" not in section.runs
    words = {name: run.words(9, 1, "http+unix://%2Frun%2Fa.sock/x") for name, (run, _) in section.runs.items()}
    for name, option in (("h2load", "--base-uri=unix:/run/a.sock"), ("oha", "--unix-socket=/run/a.sock")):
        assert option in words[name] and words[name][-1] == "http://localhost/x"
    assert words["hopcost-engine"][-1] == "http+unix://%2Frun%2Fa.sock/x"
    assert not any(section.link.is_unix for section in sections(Path("engine"), ["wrk", "oha"]))


def test_idle_connections_are_ours_alone() -> None:
    (section,) = (section for section in sections(Path("engine"), ["wrk"]) if "used" in section.title)
    assert section.compared_with == "none idle"
    with_idle = [name for name, to in section.reference.items() if name != to]
    assert len(with_idle) == 2
    for name in with_idle:
        own, alone = (section.runs[row][0].words(100, 1, "U") for row in (name, section.reference[name]))
        assert own == [*alone[:-1], "--idle", "9900@3600s", "U"]


def test_an_earlier_engine_has_the_same_load_backend_by_backend() -> None:
    now, before = Path("now"), Path("before")
    section = beside_earlier(now, before, "abc123")
    words = {name: (run.peer.executable, run.words(64, 1, "U")) for name, (run, _) in section.runs.items()}
    assert section.compared_with == "the earlier one"
    for name, (executable, own) in words.items():
        assert words[section.reference[name]] == (str(before), own)
        assert executable == str(before if "earlier" in name else now)


def test_over_http2_the_engine_is_beside_h2load_and_nobody_else() -> None:
    listed = [section for section in sections(Path("engine"), ["wrk", "h2load"]) if section.link.is_http2]
    assert [section.compared_with for section in listed] == ["h2load", "h2load"]
    for section, streams in zip(listed, ("1", "10"), strict=True):
        words = {name: run.words(connections, 1, "U") for name, (run, connections) in section.runs.items()}
        assert words.pop("h2load") == ["-t", "1", "-c", "64", "-m", streams, "-D", "1", "U"]
        assert len(words) == 2
        assert all(own[own.index("--streams") + 1] == streams for own in words.values())
    assert not any(section.link.is_http2 for section in sections(Path("engine"), ["wrk"]))


def test_the_history_that_pages_are_timed_with_has_what_they_show(tmp_path: Path) -> None:
    two = history_page.fill(tmp_path / "h.sqlite", 30, tmp_path / "copy")
    with History.open(str(tmp_path / "h.sqlite")) as history:
        assert history.count() == 30
        assert [history.record(digest).suite for digest in two] == ["nginx-go", "nginx-go"]
        assert history_page.longest_series(history) == 8, "every second record, on one of two machines"
        client = TestClient(make_app(history), base_url="http://localhost")
        for name, address in history_page.addresses(history, two).items():
            assert client.get(address).status_code == 200, name


def test_the_table_of_times_is_in_the_page() -> None:
    page = history_page.PAGE.read_text(encoding="utf-8")
    text = markdown.part(page, history_page.PART)
    assert markdown.replace_part(page, history_page.PART, text) == page
    assert history_page.table([history_page.Timed("a", 1.4, 2, 3, 4)]).splitlines()[-1] == "| a | 1 | 2 | 3 | 4 |"
    assert text.count("|\n") > 5
