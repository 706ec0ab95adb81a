"""What secrets look like in any text: in URLs, header fields, pairs of names and values, keys of well-known services.

A pattern's group `secret` is what is masked. One with a group `name` holds only if that name has secret values.
"""

from __future__ import annotations

import re

# A value ends at a quote, a space, what separates it from the next one, or a bracket that closes.
VALUE = r"""(?P<secret>[^\s"'\\,;&<>]*[^\s"'\\,;&<>)\]}])"""
# Up to the same quote; in a text inside of a text both have a backslash before them.
QUOTED = (
    r"""(?P<escape>\\)?(?P<quote>["'])"""
    r"""(?P<secret>(?:(?(escape)(?!\\(?P=quote))[^\r\n]|(?:\\.|(?!(?P=quote))[^\\\r\n])))+)"""
)
NAME = r"(?P<name>[A-Za-z_][\w.\-]*)"
BEGINS = r"(?<![\w$])"

PRIVATE_KEY = re.compile(r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----(?P<secret>.*?)(?:-----END|\Z)")
USER_AND_PASSWORD = re.compile(r"""(?i)\b[a-z][a-z0-9+.\-]*://[^\s/:@"'<>]*:(?P<secret>[^\s/"'<>]+)@""")
TOKEN_AS_USER = re.compile(r"""(?i)\bhttps?://(?P<secret>[^\s/:@"'<>]+)@""")

HEADER = r"(?i:(?:proxy-)?authorization|(?:set-)?cookie)"
HEADER_QUOTED = re.compile(rf"""(?<![\w$\-]){HEADER}\\?["']?\s*[:=,]?\s*{QUOTED}""")
HEADER_LINE = re.compile(  # to the end of the line, or to the quote that is open
    rf"""(?<![\w$\-])(?P<open>["'])?{HEADER}\s*[:=](?!=)\s*(?!["'\s])"""
    r"""(?P<secret>(?(open)(?:(?!(?P=open))[^\r\n])+|[^\r\n]+))"""
)
BEARER = re.compile(r"\b(?i:bearer)\s+(?P<secret>[A-Za-z0-9._~+/=\-]{8,})")

PAIR = re.compile(rf"""{BEGINS}{NAME}\\?["']?\s*(?:=>|:=|[=:](?!=))[ \t]*{VALUE}""")
PAIR_QUOTED = re.compile(rf"""{BEGINS}{NAME}\\?["']?\s*(?:=>|:=|[=:,](?!=))\s*{QUOTED}""")
OPTION = re.compile(rf"""(?<![\w\-])--{NAME}[ \t]+(?!-)["']?{VALUE}""")
QUERY_PAIR = re.compile(r"""[?&](?P<query>[\w.\-]+)=(?P<secret>[^\s"'&#;<>]+)""")
ALONE = re.compile(rf"""(?m)^[ \t]*{NAME}[ \t]+["']?(?P<secret>[^\s"';]+)["']?[ \t]*;?[ \t]*$""")
SETTING = re.compile(  # of nginx, Apache, HAProxy, Caddy, a shell
    r"(?m)^[ \t]*(?:set|(?:proxy|grpc)_set_header|(?:fastcgi|uwsgi|scgi)_param|add_header|header_up|[Ss]et[Ee]nv|ENV"
    rf"""|RequestHeader[ \t]+\w+|http-request[ \t]+set-header)[ \t]+\$?{NAME}[ \t]+["']?(?P<secret>[^\s"';]+)"""
)
HAPROXY = re.compile(r"\b(?:insecure-password\s+|stats\s+auth\s+[^\s:]+:)(?P<secret>\S+)")

SHAPES = re.compile(
    r"""(?<![\w-])(?P<secret>
      \$(?:2[aby]|1|5|6|y|apr1|argon2id?)\$[^\s"':;,]{8,}  # hashes of passwords
    | gh[pousr]_\w{20,} | github_pat_\w{20,} | glpat-[\w-]{16,} | (?:sk|rk)_(?:live|test)_\w{8,} | sk-[\w-]{20,}
    | xox[abeprs]-[\w-]{10,} | A(?:KI|SI)A[0-9A-Z]{16} | AIza[\w-]{30,} | npm_\w{30,} | pypi-[\w-]{30,}
    | eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*  # JSON web tokens
    )""",
    re.VERBOSE,
)

IN_ORDER = (
    PRIVATE_KEY,
    USER_AND_PASSWORD,
    TOKEN_AS_USER,
    HEADER_QUOTED,
    HEADER_LINE,
    BEARER,
    OPTION,
    QUERY_PAIR,
    PAIR_QUOTED,
    PAIR,
    SETTING,
    ALONE,
    HAPROXY,
    SHAPES,
)
