"""Transactions on SQLite: whole or not at all, writers wait, readers hold up nobody."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, event, text

from hopcost.errors import MeasurementFailed
from hopcost.history.database.engine import make_engine, reading, writing
from hopcost.history.database.place import Place, read_place
from hopcost.history.database.refusals import in_words


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return read_place(str(tmp_path / "h.sqlite"))


@pytest.fixture
def engine(place: Place) -> Iterator[Engine]:
    engine = make_engine(place)
    with writing(engine) as connection:
        connection.execute(text("CREATE TABLE t (number INTEGER)"))
    yield engine
    engine.dispose()


def count(engine: Engine) -> int:
    with reading(engine) as connection:
        return int(connection.execute(text("SELECT count(*) FROM t")).scalar_one())


def test_what_an_error_leaves_is_not_there(engine: Engine) -> None:
    with pytest.raises(ZeroDivisionError), writing(engine) as connection:
        connection.execute(text("INSERT INTO t VALUES (1)"))
        raise ZeroDivisionError
    assert count(engine) == 0


def test_a_reader_sees_what_was_there_when_it_began_and_holds_up_no_writer(engine: Engine) -> None:
    with reading(engine) as before:
        assert before.execute(text("SELECT count(*) FROM t")).scalar_one() == 0
        with writing(engine) as connection:
            connection.execute(text("INSERT INTO t VALUES (1)"))
        assert before.execute(text("SELECT count(*) FROM t")).scalar_one() == 0
    assert count(engine) == 1


def test_a_writer_waits_for_another_one_that_has_read_before_it_writes(engine: Engine) -> None:
    """Each reads the number and writes the next: with a lock taken only for writing, the second one would fail."""

    def write() -> None:
        with writing(engine) as connection:
            number = connection.execute(text("SELECT count(*) FROM t")).scalar_one()
            connection.execute(text("INSERT INTO t VALUES (:number)"), {"number": number})

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with reading(engine) as connection:
        numbers = connection.execute(text("SELECT number FROM t ORDER BY number")).scalars().all()
    assert list(numbers) == list(range(8))


def test_a_full_database_is_a_clear_error_and_nothing_of_it_is_there(engine: Engine, place: Place) -> None:
    engine.dispose()

    @event.listens_for(engine, "connect")
    def _small(connection: object, _record: object) -> None:
        connection.execute("PRAGMA max_page_count = 4")  # type: ignore[attr-defined]

    with pytest.raises(MeasurementFailed, match="the disk is full") as refused:  # noqa: SIM117
        with in_words(place), writing(engine) as connection:
            connection.execute(text("INSERT INTO t VALUES (1)"))
            for _ in range(100):
                connection.execute(text("INSERT INTO t VALUES (:filler)"), {"filler": "x" * 1000})
    assert refused.value.hint is not None and "hopcost keep RECORD" in refused.value.hint
    assert count(engine) == 0
