"""What `--with` takes."""

from __future__ import annotations

import pytest

from hopcost.errors import UsageError
from hopcost.statistics.questions.front.fronts import DEFAULT, Front, beside, parse_fronts


def test_without_a_word_there_are_three() -> None:
    assert parse_fronts([]) == list(DEFAULT) == [Front.NGINX, Front.KEEPALIVE, Front.UNIX]


def test_nginx_is_always_there_and_the_order_is_ours() -> None:
    assert parse_fronts(["cache", "haproxy, unix"]) == [Front.NGINX, Front.UNIX, Front.HAPROXY, Front.CACHE]


def test_an_unknown_word_gets_the_nearest() -> None:
    with pytest.raises(UsageError, match="no front is called 'keepalife'") as refusal:
        parse_fronts(["nginx,keepalife"])
    assert refusal.value.hint == "did you mean 'keepalive'?"


def test_http2_brings_its_comparison_along() -> None:
    fronts = parse_fronts([], over_http2=True)
    assert fronts == [*DEFAULT, Front.TLS, Front.HTTP2]
    assert beside(Front.HTTP2, fronts) == "tls"
    assert beside(Front.HTTP2, [Front.NGINX, Front.HTTP2]) == "nginx"


def test_every_front_stands_beside_one_that_is_measured() -> None:
    for wanted in ([], ["all"], ["unix"], ["tls,gzip"]):
        fronts = parse_fronts(wanted)
        assert {beside(front, fronts) for front in fronts} <= {"alone", *map(str, fronts)}
        assert not any(beside(front, fronts) == front.value for front in fronts)
