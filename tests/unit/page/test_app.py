"""Addresses and what answers them: pages, data, refusals, and words that somebody wrote to do harm."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from histories.listed import Listed, kept_point, kept_record, stepped
from histories.simulated import simulated_record
from samples.pages import HOSTILE
from starlette.testclient import TestClient

from hopcost.errors import MeasurementFailed
from hopcost.history.points import KeptRecord, Search, Versions
from hopcost.page import links
from hopcost.page.app import make_app
from hopcost.page.guard import HEADERS
from hopcost.page.kept import Kept
from hopcost.page.links import AskedTrend

VOID = ("meta", "br", "img", "link", "input", "hr")
ODD_NAMES = (
    HOSTILE,
    "../../etc/passwd",
    "a/b?c=d&e#f",
    "%2e%2e%2f",
    "\u202egnp.exe",
    "'; DROP TABLE hopcost_records; --",
)


def client_of(kept: Kept, **options: Any) -> TestClient:
    return TestClient(make_app(kept), base_url="http://127.0.0.1:8420", follow_redirects=False, **options)


class Reader(HTMLParser):
    """Elements, addresses and attributes of a page; `open` are elements that were not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.inline_scripts = 0
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        named = dict(attrs)
        if tag == "script" and "src" not in named and named.get("type") != "application/json":
            self.inline_scripts += 1
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()


def read(text: str) -> Reader:
    """A page that has no script and no style of its own, and addresses on this server alone."""
    reader = Reader(text)
    assert reader.open == []
    assert reader.inline_scripts == 0 and "style" not in reader.elements
    names = {name for name, _ in reader.attributes}
    assert "style" not in names and not any(name.startswith("on") for name in names)
    addresses = [value for name, value in reader.attributes if name in ("href", "src", "action")]
    assert all(re.match(r"/(?!/)|#|data:,$", address) for address in addresses), addresses
    return reader


def hostile() -> Listed:
    """Every word of a record is an attack."""
    versions = Versions(hopcost=HOSTILE, method=5, kernel=HOSTILE, cpu=HOSTILE, programs={HOSTILE: HOSTILE})
    points = []
    for number in range(12):
        record = kept_record(
            number,
            suite=HOSTILE,
            path=HOSTILE,
            host=HOSTILE,
            question=HOSTILE,
            labels={HOSTILE: HOSTILE, f"{number}": "\ud800"},
            versions=versions,
            cautions=[HOSTILE],
        )
        ratio = 0.5 if number < 6 else 0.3
        points.append(kept_point(record, ratio, experiment=HOSTILE, arm=HOSTILE, baseline=HOSTILE))
    return Listed(points)


def pages_of(kept: Listed) -> list[str]:
    newest, *_, oldest = kept.all_records
    first = kept.points_kept[0]
    asked = AskedTrend(first.record.suite, first.experiment, first.arm)
    return [
        "/",
        links.records(Search(words="x", labels={"a": HOSTILE})),
        links.record(newest.digest),
        links.compare(newest.digest, oldest.digest),
        "/history",
        links.trend(asked),
        links.trend(asked._replace(arm=HOSTILE + "x")),
    ]


@pytest.mark.parametrize("number", range(7))
def test_hostile_words_are_shown_as_words(number: int) -> None:
    kept = hostile()
    answer = client_of(kept).get(pages_of(kept)[number])
    reader = read(answer.text)
    assert "img" not in reader.elements and "script" not in reader.elements
    assert HOSTILE in html.unescape(answer.text)


@pytest.mark.parametrize("name", ODD_NAMES)
def test_any_name_has_a_list_a_history_and_a_file(name: str) -> None:
    record = kept_record(0, suite=name, labels={"branch": name})
    client = client_of(Listed([kept_point(record, experiment=name, arm=name)]))
    asked = AskedTrend(name, name, name)
    assert client.get(links.records(Search(suite=name))).status_code == 200
    assert read(client.get(links.trend(asked)).text).elements.count("circle") == 1
    saved = client.get(links.trend_data(asked))
    assert saved.headers["content-type"] == "text/csv; charset=utf-8"
    disposition = saved.headers["content-disposition"]
    assert re.fullmatch(r'attachment; filename="[A-Za-z0-9._-]+\.csv"', disposition), disposition
    assert not re.search(r"(?m)(^|,)[=+@]", saved.text), "a formula"


@pytest.mark.parametrize(
    "path",
    [
        "/records/../../etc/passwd",
        "/records/..%2f..%2fetc%2fpasswd",
        "/records/%2e%2e/%2e%2e/etc/passwd",
        "/records/.%00",
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/page.css",
        "/static//etc/passwd",
        "//etc/passwd",
        "/etc/passwd",
        "/records",
        "/records/",
        "/history/",
        "/history.csv/",
        "/compare/x",
        "/records/aaaaaaaa/data.html",
        "/records/aaaaaaaa/../../pyproject.toml",
        "/%ff",
        "/favicon.ico",
    ],
)
def test_no_path_leads_elsewhere(path: str) -> None:
    answer = client_of(stepped()).get(path)
    assert answer.status_code in (400, 404)
    assert "root:" not in answer.text and "import" not in answer.text
    read(answer.text)


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        ("/?page=0", 400, "page: expected a number"),
        ("/?label=main", 400, "label: expected NAME=VALUE"),
        ("/?words=%00", 400, "words: expected up to"),
        ("/records/zz", 400, "expected a record's digest"),
        ("/records/ffffffff", 404, "no record's digest begins with"),
        ("/compare", 400, "two records are compared"),
        ("/compare?a=zz&b=zz", 400, "a: expected a record's digest"),
        ("/history?suite=made-up", 400, "experiment: expected a name"),
        ("/history?suite=made-up&experiment=cost&arm=behin", 404, "did you mean 'made-up/cost/behind'?"),
        ("/history?suite=made-up&experiment=cost&arm=behind&figure=wrong", 404, "no figure 'wrong'"),
        ("/history?suite=made-up&experiment=cost&arm=behind&since=soon", 400, "since: expected a day"),
        ("/history?suite=made-up&experiment=cost&arm=behind&since=2030-01-01", 404, "fits"),
        ("/history?suite=made-up&experiment=cost&arm=behind&series=x", 404, "this series"),
        ("/history?suite=made-up&experiment=cost&arm=behind&older=40", 400, "older: expected less than 40"),
        ("/nothing", 404, "There is no such page"),
    ],
)
def test_what_cannot_be_answered_says_why(address: str, status: int, words: str) -> None:
    answer = client_of(stepped()).get(address)
    assert answer.status_code == status
    read(answer.text)
    assert words in html.unescape(answer.text)


def test_answers_to_head_have_no_body() -> None:
    answer = client_of(stepped()).head("/")
    assert (answer.status_code, answer.content) == (200, b"")


class Broken(Listed):
    """A history whose database is gone, or whose code is wrong."""

    fault: Exception = MeasurementFailed("postgresql://app:secret@db/x: the connection was lost", "look at it")

    def count(self, search: Search) -> int:
        raise self.fault


def test_a_database_that_is_gone_is_told_without_its_password() -> None:
    answer = client_of(Broken()).get("/")
    assert answer.status_code == 503
    assert "the connection was lost" in answer.text and "look at it" in answer.text
    assert "secret" not in answer.text


def test_a_bug_shows_nothing_of_itself_and_has_the_policy_too() -> None:
    kept = Broken()
    kept.fault = ZeroDivisionError("a secret of the code")
    answer = client_of(kept, raise_server_exceptions=False).get("/")
    assert answer.status_code == 500
    assert "fault of hopcost" in answer.text and "secret" not in answer.text and "Traceback" not in answer.text
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
    read(answer.text)


def questions(kept: Listed) -> list[int]:
    """How many each page asks."""
    client, counts = client_of(kept), []
    for address in pages_of(kept)[:6]:
        kept.asked = 0
        client.get(address)
        counts.append(kept.asked)
    return counts


def test_each_page_asks_the_history_a_few_questions_whatever_it_holds() -> None:
    """A question per record would make pages slow: with 10,000 records as with ten."""
    few, many = (questions(stepped(records)) for records in (10, 400))
    assert few == many
    assert max(few) <= 3


def test_style_and_scripts_are_files_that_browsers_keep(tmp_path: Path) -> None:
    kept = Listed(others=[kept_record(path=str(simulated_record(tmp_path / "r")))])
    client = client_of(kept)
    reader = read(client.get(links.record(kept.others[0].digest)).text)
    addresses = [value for name, value in reader.attributes if value.startswith("/static/")]
    assert len(addresses) == 4
    for address in addresses:
        answer = client.get(address)
        assert answer.status_code == 200
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert answer.headers["content-type"].startswith(("text/css", "text/javascript"))
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_every_link_of_a_page_leads_to_a_page(tmp_path: Path) -> None:
    """Followed from the list on, all addresses that are not data."""
    records: list[KeptRecord] = []
    for number in range(3):
        folder = simulated_record(tmp_path / f"{number}", number)
        records.append(kept_record(number, path=str(folder), labels={"branch": "main"}))
    client = client_of(Listed([kept_point(record) for record in records]))
    seen, ahead = set(), ["/"]
    while ahead:
        address = ahead.pop()
        if address in seen:
            continue
        seen.add(address)
        answer = client.get(address)
        assert answer.status_code == 200, address
        if answer.headers["content-type"].startswith("text/html"):
            reader = read(answer.text)
            ahead += [value for name, value in reader.attributes if name in ("href", "src") and value.startswith("/")]
    assert len([address for address in seen if address.startswith("/records/")]) >= 9, "reports and data of each"
    assert any(address.startswith("/history?") for address in seen)
