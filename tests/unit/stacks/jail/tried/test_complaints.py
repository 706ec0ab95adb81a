"""nginx's own words, as they were seen, and what is read in them."""

from __future__ import annotations

import pytest

from hopcost.stacks.jail.tried.complaints import Lack, read_complaints

CONF = " in /etc/nginx/nginx.conf:12"


@pytest.mark.parametrize(
    ("text", "lack", "what"),
    [
        (f'unknown directive "brotli"{CONF}', Lack.DIRECTIVE, "brotli"),
        ('unknown "geoip2_data_country" variable', Lack.VARIABLE, "geoip2_data_country"),
        (f'host not found in upstream "app:3000"{CONF}', Lack.HOST, "app:3000"),
        (f'host not found in resolver "dns"{CONF}', Lack.HOST, "dns"),
        (
            f'no "ssl_certificate" is defined for the "listen ... ssl" directive{CONF}',
            Lack.NO_CERTIFICATE,
            "ssl_certificate",
        ),
        ('cannot load certificate "/x/a.pem": BIO_new_file() failed (SSL: error:8000', Lack.CERTIFICATE, "/x/a.pem"),
        ('cannot load certificate key "/x/a.key": BIO_new_file() failed (SSL: err', Lack.KEY, "/x/a.key"),
        (f'invalid parameter "resolve"{CONF}', Lack.PARAMETER, "resolve"),
        (f'the invalid "quic" parameter{CONF}', Lack.PARAMETER, "quic"),
        (f'"daemon" directive is duplicate{CONF}', Lack.DUPLICATE, "daemon"),
        (
            'dlopen() "/m/lua.so" failed (/m/lua.so: undefined symbol: ndk_set_var_value)' + CONF,
            Lack.SYMBOL,
            "/m/lua.so",
        ),
        ('dlopen() "/m/x.so" failed (/m/x.so: cannot open shared object file)' + CONF, Lack.MODULE, "/m/x.so"),
        (f'module "/m/x.so" is not binary compatible{CONF}', Lack.MODULE, "/m/x.so"),
        ('mkdir() "/srv/cache/a" failed (2: No such file or directory)', Lack.FOLDER, "/srv/cache/a"),
        ('open() "/srv/log/a.log" failed (2: No such file or directory)', Lack.FILE, "/srv/log/a.log"),
        (f'getpwnam("deploy") failed{CONF}', Lack.USER, "deploy"),
        (f'getgrnam("deploy") failed{CONF}', Lack.GROUP, "deploy"),
        ("bind() to 10.0.0.5:80 failed (99: Cannot assign requested address)", Lack.ADDRESS, "10.0.0.5:80"),
        ("socket() [::]:80 failed (97: Address family not supported by protocol)", Lack.FAMILY, "[::]:80"),
        ("init_by_lua error: init_by_lua:2: module 'resty.auto-ssl' not found:", Lack.LUA, "init_by_lua"),
        (f'unexpected "}}"{CONF}', Lack.OTHER, ""),
    ],
)
def test_what_is_missing_and_its_name(text: str, lack: Lack, what: str) -> None:
    (complaint,) = read_complaints(
        f"nginx: [emerg] {text}\nnginx: configuration file /etc/nginx/nginx.conf test failed"
    )
    assert (complaint.lack, complaint.what) == (lack, what)
    assert (complaint.file, complaint.line) == (("/etc/nginx/nginx.conf", 12) if text.endswith(CONF) else ("", 0))


def test_lines_of_the_error_log_are_read_too_and_warnings_are_not() -> None:
    output = (
        '2026/11/23 12:51:07 [warn] 2179#2179: duplicate extension "mjs" in /etc/nginx/nginx.conf:16\n'
        '2026/11/23 12:51:07 [emerg] 2179#2179: unknown directive "x" in /etc/nginx/a.conf:1\n'
    )
    assert [(one.what, one.file, one.line) for one in read_complaints(output)] == [("x", "/etc/nginx/a.conf", 1)]
