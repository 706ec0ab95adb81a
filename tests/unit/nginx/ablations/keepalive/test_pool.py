"""nginx closes idle connections before the app does, and as late as it may."""

from __future__ import annotations

from pathlib import Path

import pytest
from texts.nginx_texts import configuration_of, context_of, directive

from hopcost.nginx.ablations.keepalive.pool import (
    idle_limit_s,
    is_too_small,
    outlives_the_app,
    pool_size,
    wanted_pool,
    wanted_timeout,
)

TEXT = "upstream a { server b:1; keepalive 10; keepalive_timeout 10s; }\nserver { location / { proxy_pass http://a; } }"


@pytest.mark.parametrize(
    ("idle", "wanted", "outlives"),
    [
        (None, None, False),
        (0.0, None, False),
        (5.0, "4s", True),
        (10.0, "9s", True),
        (10.5, "10s", False),
        (2.0, "1s", True),
        (1.0, "500ms", True),
    ],
)
def test_the_time_out_stays_below_the_app_s(
    tmp_path: Path, idle: float | None, wanted: str | None, outlives: bool
) -> None:
    configuration = configuration_of(tmp_path, TEXT)
    context = context_of(configuration, idle_timeout_s=idle)
    assert wanted_timeout(context) == wanted
    assert outlives_the_app(context, directive(configuration, "upstream")) is outlives


def test_an_older_nginx_cannot_be_told(tmp_path: Path) -> None:
    assert wanted_timeout(context_of(configuration_of(tmp_path, TEXT), version=(1, 15, 2), idle_timeout_s=5.0)) is None


def test_sizes(tmp_path: Path) -> None:
    configuration = configuration_of(tmp_path, TEXT)
    block = directive(configuration, "upstream")
    assert pool_size(context_of(configuration, workers=2), block) == 20
    assert pool_size(context_of(configuration), None) == 0
    assert pool_size(context_of(configuration, version=(1, 29, 7)), None) == 32
    assert [wanted_pool(context_of(configuration, connections=n)) for n in (1, 64, 65, 1000)] == [64, 64, 128, 1024]
    assert wanted_pool(context_of(configuration, connections=32, streams=10)) == 512
    assert is_too_small(context_of(configuration, connections=1, streams=10), block) is False
    assert is_too_small(context_of(configuration, connections=1, streams=11), block) is True
    assert (idle_limit_s(block), idle_limit_s(None)) == (10.0, 60.0)
