"""Which names have secret values, and which values are none: `API_KEY` and `db.password`, not `server_tokens`."""

from __future__ import annotations

import re

MASK = "(masked)"

ANYWHERE = ("password", "passwd", "passphrase", "secret", "credential", "credentials")  # the end of some word
LAST = ("token", "sessid", "sessionid", "cookie", "apikey", "authkey", "accesskey", "secretkey", "masterkey")
LAST_WORDS = frozenset({"pwd", "pass", "authorization", "jwt", "otp", "signature", "dsn"})
WITH_A_WORD_BEFORE = frozenset({"auth", "key"})  # `redis_auth`, `api-key`
HARMLESS_BEFORE = frozenset(  # `ssl_certificate_key` is a path, `cache_key` a rule
    {"cache", "certificate", "public", "primary", "foreign", "partition", "sort", "host", "hash", "map", "basic"}
)
HARMLESS_LAST = frozenset({"file", "path", "dir", "folder", "encryption", "hashers"})
HARMLESS = frozenset(f"{kind}pass" for kind in ("proxy", "fastcgi", "uwsgi", "scgi", "grpc", "memcached"))
HEADERS = frozenset(
    {"authorization", "proxy-authorization", "cookie", "set-cookie", "x-auth", "x-csrf", "x-amz-security-token"}
)
QUERY = frozenset({"key", "sig", "sid", "session", "code", "auth"})  # in a URL's query, beside the others

WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
NO_SECRET = re.compile(
    r"(?i:true|false|yes|no|on|off|null|none|nil|undefined|required)$"
    r"|[\s*•.]*$|.*…$"  # nothing, masked by others, or an example
    r"|\$(?!\w+\$)|[%<{\[(]"  # a variable, a placeholder, a structure; `$6$…` is a hash
    r"|/(?:$|(?:etc|run|var|usr|opt|home|root|tmp|srv|mnt|app|secrets)\b)|(?:~|\.{1,2})/|\w:\\"  # a path
    r"|[^\s]*\.(?:pem|key|crt|cer|txt|json|ya?ml|env)$"
)


def is_secret_name(name: str) -> bool:
    """Whether what has this name is a secret.

    >>> names = ("DB_PASSWORD", "secretKey", "x-api-key", "csrftoken", "--pass", "PGPASSWORD", "SECRET_KEY_BASE")
    >>> [name for name in names if not is_secret_name(name)]
    []
    >>> names = ("server_tokens", "ssl_certificate_key", "proxy_pass", "key", "bypass", "token_file", "auth_basic")
    >>> [name for name in names if is_secret_name(name)]
    []
    """
    words = [word.lower() for word in WORDS.findall(name)]
    if not words or "".join(words) in HARMLESS or words[-1] in HARMLESS_LAST:
        return False
    *before, last = words
    return (
        any(word.endswith(ANYWHERE) for word in words)
        or last.endswith(LAST)
        or last in LAST_WORDS
        or (last in WITH_A_WORD_BEFORE and bool(before) and before[-1] not in HARMLESS_BEFORE)
    )


def is_secret_header(name: str) -> bool:
    """Whether a header field with this name carries a secret."""
    return name.strip().lower() in HEADERS or is_secret_name(name)


def is_secret_value(value: str) -> bool:
    """Whether a value may be a secret at all: a path, a variable or `true` is none.

    >>> [is_secret_value(value) for value in ("hunter2", "/run/secrets/db", "$DB_PASSWORD", "{port}", "true", "")]
    [True, False, False, False, False, False]
    """
    return NO_SECRET.match(value) is None
