"""How many statements a page takes of a real database: the same with four records and with forty."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from histories.simulated import simulated_history
from sqlalchemy import Engine, event
from starlette.testclient import TestClient

from hopcost.history.history import History
from hopcost.history.points import Search
from hopcost.page.app import make_app

MOST = 6  # statements of one page
ARM = "suite=made-up&experiment=cost&arm=behind"


@contextmanager
def counted() -> Iterator[list[str]]:
    """Statements while it lasts; those that begin a transaction are none."""
    statements: list[str] = []

    def count(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if not statement.startswith(("BEGIN", "PRAGMA")):
            statements.append(statement)

    event.listen(Engine, "before_cursor_execute", count)
    try:
        yield statements
    finally:
        event.remove(Engine, "before_cursor_execute", count)


def statements_of(folder: Path, records: int) -> dict[str, int]:
    """By address, digests left out."""
    counts = {}
    with History.open(str(folder / "h.sqlite")) as history:
        for path in simulated_history(folder / "records", [0.5] * records, labels={"branch": "main"}):
            history.keep(path)
        newest, *_, oldest = history.records(Search(), 100)
        client = TestClient(make_app(history), base_url="http://localhost")
        for address in (
            "/",
            "/?words=abacus+main&arm=behind&label=branch%3Dmain",
            f"/records/{newest.digest}",
            f"/compare?a={oldest.digest}&b={newest.digest}",
            "/history",
            f"/history?{ARM}&label=branch%3Dmain",
            f"/history.csv?{ARM}",
        ):
            with counted() as statements:
                assert client.get(address).status_code == 200
            counts[address.replace(newest.digest, "B").replace(oldest.digest, "A")] = len(statements)
    return counts


def test_a_page_takes_few_statements_however_many_records_there_are(tmp_path: Path) -> None:
    (tmp_path / "few").mkdir()
    (tmp_path / "many").mkdir()
    few, many = statements_of(tmp_path / "few", 4), statements_of(tmp_path / "many", 40)
    assert few == many
    assert all(1 <= count <= MOST for count in few.values()), few
