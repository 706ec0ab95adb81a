"""Whatever stands in a configuration, all that reads it ends with an answer or with a UsageError by file and line."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from texts.nginx_texts import own_files, seen_load

from hopcost.errors import UsageError
from hopcost.nginx.ablations import find_ablations
from hopcost.nginx.edits.diff import unified_diff
from hopcost.nginx.limits import limits_off
from hopcost.nginx.needs import find_needs
from hopcost.nginx.read import read_configuration
from hopcost.nginx.secrets import find_secrets
from hopcost.nginx.sites import choose_site
from hopcost.nginx.tokens import split_tokens
from hopcost.nginx.traps import find_traps

TEXTS = [path.read_text() for path in own_files()]
ODD = ["off", "$x", "{", "}", ";", '""', "unix:", "http://", "~^(", "server { listen; }", "location { }", "map { }"]
ODDER = [
    "proxy_pass;",
    "set;",
    "keepalive;",
    "access_log;",
    "listen ssl;",
    "upstream { server; }",
    "if { }",
    "include;",
]


@st.composite
def spoilt(draw: st.DrawFn) -> str:
    """A file of our own with one to three tokens away, or others in their places."""
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(1, 3))):
        with contextlib.suppress(UsageError):
            token = draw(st.sampled_from(list(split_tokens(text, "a"))))
            text = text[: token.start] + draw(st.sampled_from(["", *ODD, *ODDER])) + text[token.end :]
    return text


@settings(max_examples=150, deadline=None)
@given(spoilt(), st.booleans())
def test_any_configuration_is_answered_or_refused(
    tmp_path_factory: pytest.TempPathFactory, text: str, from_upstream: bool
) -> None:
    folder = tmp_path_factory.mktemp("a")
    (folder / "nginx.conf").write_text(text)
    with contextlib.suppress(UsageError):
        configuration = read_configuration(folder / "nginx.conf", folder / "machine")
        find_needs(configuration, folder / "machine")
        limits_off(configuration)
        find_secrets(configuration)
        site = choose_site(configuration)
        seen = seen_load(is_from_upstream=from_upstream, idle_timeout_s=5.0, body_bytes=100_000)
        for trap in find_traps(configuration, site, (1, 22, 1), seen):
            configuration.with_edits(trap.edits or ())
        for ablation in find_ablations(configuration, site, (1, 22, 1), seen):
            assert unified_diff(configuration, ablation.edits) or not ablation.is_offered
