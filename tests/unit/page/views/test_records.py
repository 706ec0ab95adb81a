"""The list of records: pages, and what narrows it."""

from __future__ import annotations

from collections.abc import Sequence

from histories.listed import Listed, kept_point, kept_record

from hopcost.history.points import KeptRecord
from hopcost.page.asked import Query
from hopcost.page.views.records import PER_PAGE, Filter, show_records


def shown(kept: Listed, query: Query) -> tuple[list[int], object, object]:
    """Days of the records on a page, and the addresses of the newer and the older ones."""
    content = show_records(kept, query).content
    records = content["records"]
    assert isinstance(records, Sequence)
    days = [record.started.timetuple().tm_yday - 1 for record in records if isinstance(record, KeptRecord)]
    return days, content["newer"], content["older"]


def many(count: int) -> Listed:
    return Listed(others=[kept_record(number) for number in range(count)])


def test_pages_hold_all_records_once_the_newest_first() -> None:
    kept = many(2 * PER_PAGE + 1)
    pages = [shown(kept, {"page": [str(page)]}) for page in (1, 2, 3)]
    assert [day for days, _, _ in pages for day in days] == list(reversed(range(2 * PER_PAGE + 1)))
    assert [(newer, older) for _, newer, older in pages] == [(None, "/?page=2"), ("/", "/?page=3"), ("/?page=2", None)]


def test_a_full_last_page_has_none_behind_it() -> None:
    assert shown(many(PER_PAGE), {})[1:] == (None, None)
    assert shown(many(0), {}) == ([], None, None)


def test_a_page_behind_the_last_one_leads_back() -> None:
    assert shown(many(PER_PAGE + 1), {"page": ["999"]}) == ([], "/?page=2", None)


def test_a_search_stays_while_one_turns_pages() -> None:
    kept = Listed(others=[kept_record(number, labels={"branch": "main"}) for number in range(PER_PAGE + 1)])
    assert shown(kept, {"label": ["branch=main"], "words": ["abacus"]})[2] == (
        "/?words=abacus&label=branch%3Dmain&page=2"
    )


def test_a_search_narrows_by_suite_arm_label_and_machine() -> None:
    machines = ["aa" * 32, "bb" * 32]
    kept = Listed(
        points_kept=[kept_point(kept_record(0, suite="hello"), arm="go")],
        others=[
            kept_record(1, suite="work", labels={"branch": "main"}, machine=machines[0]),
            kept_record(2, suite="work", labels={"branch": "slow"}, machine=machines[1]),
        ],
    )
    assert shown(kept, {"suite": ["work"]})[0] == [2, 1]
    assert shown(kept, {"arm": ["go"]})[0] == [0]
    assert shown(kept, {"arm": ["direct"]})[0] == [0], "the baseline is an arm too"
    assert shown(kept, {"label": ["branch=main"]})[0] == [1]
    assert shown(kept, {"machine": ["bbbbbbbb"]})[0] == [2]
    content = show_records(kept, {"suite": ["work"], "label": ["branch=main"]}).content
    assert content["filters"] == [
        Filter("suite: work", "/?label=branch%3Dmain"),
        Filter("label: branch=main", "/?suite=work"),
    ]
