"""What `nginx -V` says, of Debian's build, of one without options, and of another program."""

from __future__ import annotations

import pytest

from hopcost.errors import CannotMeasure
from hopcost.stacks.jail.version import nginx_version, read_version

DEBIAN = """nginx version: nginx/1.22.1
built with OpenSSL 3.0.11 19 Sep 2023
configure arguments: --with-cc-opt='-g -O2 -fPIC' --prefix=/usr/share/nginx --conf-path=/etc/nginx/nginx.conf \
--error-log-path=stderr --modules-path=/usr/lib/nginx/modules --http-proxy-temp-path=proxy --with-http_v2_module
"""


def test_version_paths_and_options() -> None:
    nginx = read_version("/usr/sbin/nginx", DEBIAN)
    assert (nginx.version, nginx.text, nginx.prefix) == ((1, 22, 1), "1.22.1", "/usr/share/nginx")
    assert nginx.modules_path == "/usr/lib/nginx/modules"
    assert nginx.paths["http-proxy-temp-path"] == "/usr/share/nginx/proxy"
    assert "error-log-path" not in nginx.paths
    assert "--with-http_v2_module" in nginx.options and "--with-cc-opt=-g -O2 -fPIC" in nginx.options


def test_a_build_without_options_is_below_usr_local() -> None:
    nginx = read_version("/x/nginx", "nginx version: openresty/1.25.3.1\nconfigure arguments:\n")
    assert (nginx.version, nginx.prefix) == ((1, 25, 3, 1), "/usr/local/nginx")
    assert nginx.modules_path == "/usr/local/nginx/modules"


def test_another_program_is_refused() -> None:
    with pytest.raises(CannotMeasure, match="printed no version of nginx"):
        read_version("/bin/true", "true (GNU coreutils) 9.1")
    with pytest.raises(CannotMeasure, match="'no-such-nginx' is not installed"):
        nginx_version("no-such-nginx")
