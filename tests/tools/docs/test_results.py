"""The pieces of `make results`. Nothing is run."""

from __future__ import annotations

from tools.docs.results import hosts
from tools.docs.results.pieces import EVERY, PIECES, TWO_MACHINES, pieces


def test_each_piece_has_a_record_of_its_own() -> None:
    every = list(pieces(EVERY))
    assert len({piece.path for piece in every}) == len(every) > 100


def test_each_time_is_of_a_piece() -> None:
    named = {f"{piece.page}/{name}" for piece in pieces(EVERY) for name in (piece.name, piece.experiment)}
    assert set(PIECES.times_s) <= named


def test_the_page_of_two_machines_alone_has_its_generator_elsewhere() -> None:
    for piece in pieces(EVERY):
        is_apart = piece.page == TWO_MACHINES
        assert (piece.command[-2:] == hosts.ON) == is_apart
        assert is_apart == (piece.path.parent.name == "two-machines")
    (one_core, tcp) = pieces([TWO_MACHINES])
    assert one_core.command[:3] == ["hopcost", "run", "nginx-go/one-core"]
    assert tcp.command[:3] == ["hopcost", "run", "proxies/tcp"]
