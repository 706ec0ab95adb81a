"""What is done about each complaint, and that nothing is done twice or about the configuration's own errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from known import known
from texts.nginx_texts import configuration_of

from hopcost.nginx.read import ConfigurationText
from hopcost.stacks.jail.tried.added import Added
from hopcost.stacks.jail.tried.complaints import Complaint, Lack
from hopcost.stacks.jail.tried.mend import mend
from hopcost.stacks.jail.version import NginxVersion

MAIN = "/etc/nginx/nginx.conf"
TEXT = """\
brotli on;
upstream app { server app:80 resolve; }
server {
    listen 80;
    listen 443 ssl
        quic;
    brotli
      off;
    access_log /srv/log/a.log;
    ssl_certificate $dir/a.pem;
    location / { brotli_types a { x y; } proxy_pass http://app; }
}
"""


@pytest.fixture
def text(tmp_path: Path) -> ConfigurationText:
    return configuration_of(tmp_path, TEXT)


def nginx(modules: Path) -> NginxVersion:
    return NginxVersion("/usr/sbin/nginx", "1.22.1", (1, 22, 1), "/usr/share/nginx", str(modules), {}, [])


def after(text: ConfigurationText, added: Added) -> str:
    return text.with_edits(added.all_edits(text)).files[MAIN]


def test_an_unknown_directive_goes_wherever_it_stands_and_no_line_moves(
    text: ConfigurationText, tmp_path: Path
) -> None:
    mended = known(mend(Complaint(Lack.DIRECTIVE, "brotli", "", MAIN, 3), text, Added(), nginx(tmp_path)))
    lines, before = after(text, mended).splitlines(), text.files[MAIN].splitlines()
    assert [line.strip() for line in lines if "brotli" in line] == [before[12].strip()]
    assert len(lines) == len(before) and lines[10] == before[10]
    assert mended.notes == [
        "nginx.conf:3, nginx.conf:9: removed so that nginx starts: brotli: nginx 1.22.1 here does not know it"
    ]


def test_a_module_that_knows_the_directive_is_loaded_and_dropped_if_it_cannot_be(
    text: ConfigurationText, tmp_path: Path
) -> None:
    (tmp_path / "brotli.so").write_bytes(b"\x7fELF\0brotli_types\0brotli\0")
    (tmp_path / "other.so").write_bytes(b"\x7fELF\0brotli_more\0")
    complaint = Complaint(Lack.DIRECTIVE, "brotli", "", MAIN, 3)
    loaded = known(mend(complaint, text, Added(), nginx(tmp_path)))
    assert loaded.modules == [str(tmp_path / "brotli.so")] and not loaded.edits
    broken = Complaint(Lack.MODULE, str(tmp_path / "brotli.so"), "it is not binary compatible")
    without = known(mend(broken, text, loaded, nginx(tmp_path)))
    assert without.modules == [] and without.notes == []
    assert known(mend(complaint, text, without, nginx(tmp_path))).edits


def test_a_development_kit_comes_before_the_module_that_needs_it(text: ConfigurationText, tmp_path: Path) -> None:
    (tmp_path / "ndk_http_module.so").write_bytes(b"")
    loaded = Added(modules=["/m/lua.so"])
    mended = known(mend(Complaint(Lack.SYMBOL, "/m/lua.so", ""), text, loaded, nginx(tmp_path)))
    assert mended.modules == [str(tmp_path / "ndk_http_module.so"), "/m/lua.so"]


@pytest.mark.parametrize(
    ("line", "word", "gone"), [(4, "resolve", "server app:80 ;"), (8, "quic", "listen 443 ssl\n        ;")]
)
def test_a_word_that_is_too_new_goes_from_its_directive_alone(
    text: ConfigurationText, tmp_path: Path, line: int, word: str, gone: str
) -> None:
    mended = known(mend(Complaint(Lack.PARAMETER, word, "", MAIN, line), text, Added(), nginx(tmp_path)))
    assert gone in after(text, mended)
    assert len(mended.edits) == 1 and f"without `{word}`" in mended.notes[0]


@pytest.mark.parametrize(
    ("complaint", "expected"),
    [
        (Complaint(Lack.HOST, "app:3000", ""), Added(hosts=["app"])),
        (Complaint(Lack.FOLDER, "/srv/cache/x", ""), Added(folders=["/srv/cache"])),
        (Complaint(Lack.FILE, "/srv/log/a.log", ""), Added(folders=["/srv/log"])),
        (Complaint(Lack.CERTIFICATE, "/x/a.pem", ""), Added(certificates=["/x/a.pem"])),
        (Complaint(Lack.KEY, "/x/a.key", ""), Added(keys=["/x/a.key"])),
        (Complaint(Lack.USER, "deploy", ""), Added(users=["deploy"], groups=["deploy"])),
        (Complaint(Lack.ADDRESS, "[2001:db8::1]:80", ""), Added(addresses=["2001:db8::1"])),
    ],
)
def test_what_is_missing_on_this_machine_is_made_and_the_text_stays(
    text: ConfigurationText, tmp_path: Path, complaint: Complaint, expected: Added
) -> None:
    assert mend(complaint, text, Added(), nginx(tmp_path)) == expected


def test_an_error_of_the_configuration_or_one_that_came_back_is_not_mended(
    text: ConfigurationText, tmp_path: Path
) -> None:
    assert mend(Complaint(Lack.OTHER, "", 'unexpected "}"', MAIN, 3), text, Added(), nginx(tmp_path)) is None
    assert mend(Complaint(Lack.HOST, "app", ""), text, Added(hosts=["app"]), nginx(tmp_path)) is None
    assert mend(Complaint(Lack.DUPLICATE, "user", "", MAIN, 1), text, Added(), nginx(tmp_path)) is None
