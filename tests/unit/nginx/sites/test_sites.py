"""The site that is measured answers itself: no redirect to it, nobody else's server, and by a host that reaches it."""

from __future__ import annotations

from pathlib import Path

import pytest
from texts.nginx_texts import configuration_of, own

from hopcost.errors import UsageError
from hopcost.nginx.read import read_configuration
from hopcost.nginx.sites import choose_site, find_sites

PROXY = "location / { proxy_pass http://127.0.0.1:1; }"


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("always-upgrade", "http://app.example.com"),
        ("asks-for-login", "http://intern.example.com:8080"),
        ("by-map", "http://www.example.net"),
        ("compressed-and-static", "http://localhost"),
        ("fastcgi", "http://blog.example.com"),
        ("few-kept-connections", "http://localhost"),
        ("https-redirect", "https://example.org"),
        ("limited", "http://localhost"),
        ("lua", "http://localhost"),
        ("no-certificate", "https://secure.example.com"),
        ("several-servers", "http://www.example.net"),
        ("unknown-module", "http://localhost"),
    ],
)
def test_the_site_of_each_of_our_own(name: str, url: str) -> None:
    assert choose_site(own(name)).url == url


@pytest.mark.parametrize(
    ("text", "url"),
    [
        (f"server {{ return 444; }} server {{ server_name a.b; {PROXY} }}", "http://a.b"),
        (f"server {{ server_name _; {PROXY} }}", "http://localhost"),
        (f"server {{ server_name a.b; return 200; }} server {{ server_name _; {PROXY} }}", "http://_"),
        (f"server {{ server_name .c.d; {PROXY} }}", "http://c.d"),
        (f"server {{ server_name *.c.d; {PROXY} }}", "http://www.c.d"),
        (f"server {{ listen 8443 ssl; server_name a.b; {PROXY} }}", "https://a.b:8443"),
        (f"server {{ listen unix:/run/x; listen [::1]:81; {PROXY} }}", "http://localhost:81"),
        (f"server {{ listen 80 proxy_protocol; listen 82; {PROXY} }}", "http://localhost:82"),
        (f"server {{ listen 80; listen 443 ssl; server_name a.b; {PROXY} }}", "http://a.b"),
        (
            "server { listen 80; listen 443 ssl; server_name a.b;"
            f" if ($scheme = http) {{ return 301 https://a.b; }} {PROXY} }}",
            "https://a.b",
        ),
        (f"server {{ server_name s; root /x; }} server {{ server_name p; {PROXY} }}", "http://p"),
    ],
)
def test_the_site_of_small_ones(tmp_path: Path, text: str, url: str) -> None:
    assert choose_site(configuration_of(tmp_path, text)).url == url


def test_a_host_or_a_port_chooses_another_site(tmp_path: Path) -> None:
    configuration = configuration_of(
        tmp_path, f"server {{ server_name a; {PROXY} }} server {{ server_name .b; listen 81; {PROXY} }}"
    )
    assert choose_site(configuration, host="x.b").url == "http://b:81"
    assert choose_site(configuration, port=81).url == "http://b:81"
    with pytest.raises(UsageError) as refused:
        choose_site(configuration, port=82)
    assert refused.value.hint == "known: http://a, http://b:81"


def test_a_second_server_of_the_same_name_is_never_reached(tmp_path: Path) -> None:
    text = f"server {{ server_name a; {PROXY} }} server {{ server_name a; {PROXY} }}"
    assert len(find_sites(configuration_of(tmp_path, text))) == 1


def test_a_configuration_that_only_redirects_is_refused_with_its_line(tmp_path: Path) -> None:
    configuration = configuration_of(tmp_path, "\nserver { server_name a.b; return 301 https://a.b; }")
    with pytest.raises(UsageError) as refused:
        choose_site(configuration)
    assert refused.value.message.startswith("nginx.conf:4: http://a.b only redirects")
    assert refused.value.hint == "name the configuration of the site that it redirects to"


def test_a_configuration_that_turns_everybody_away_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nginx\.conf:3: http://localhost turns every request away"):
        choose_site(configuration_of(tmp_path, "server { return 403; }"))


def test_one_without_a_server_names_the_site_that_no_include_takes_in(tmp_path: Path) -> None:
    others = {"sites-available__a": f"server {{ {PROXY} }}"}
    with pytest.raises(UsageError) as refused:
        choose_site(configuration_of(tmp_path, "gzip on;", **others))
    assert refused.value.message == f"{tmp_path}/nginx.conf has no `server`"
    assert (refused.value.hint or "").endswith(f"name it: hopcost conf {tmp_path}/sites-available/a")


def test_one_without_a_server_names_the_include_that_matches_no_file(tmp_path: Path) -> None:
    text = "include modules-enabled/*; include sites-enabled/*.conf;"
    with pytest.raises(UsageError) as refused:
        choose_site(configuration_of(tmp_path, text))
    assert refused.value.message == (
        f"{tmp_path}/nginx.conf has no `server`, and its `include sites-enabled/*.conf` matches no file"
    )
    assert refused.value.hint == "name the file that holds the site, or copy it beside this one"


def test_one_that_cannot_be_loaded_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nginx\.conf:3: no port of .* takes HTTP by TCP"):
        choose_site(configuration_of(tmp_path, f"server {{ listen unix:/run/a; {PROXY} }}"))


def test_a_site_that_the_user_named_goes_before_others(tmp_path: Path) -> None:
    (tmp_path / "nginx.conf").write_text("http { include conf.d/*; }")
    (tmp_path / "conf.d").mkdir()
    for name in ("a", "b"):
        (tmp_path / "conf.d" / name).write_text(f"server {{ server_name {name}; {PROXY} }}")
    assert choose_site(read_configuration(tmp_path / "conf.d" / "b", tmp_path)).host == "b"
