"""What nginx says when it refuses a configuration, as structures. Text in, structures out."""

from __future__ import annotations

import re
from enum import Enum

import msgspec


class Lack(Enum):
    """What it complains of, and so what is to be done."""

    DIRECTIVE = "unknown directive"
    VARIABLE = "unknown variable"
    HOST = "host not found"
    NO_CERTIFICATE = "listen ssl without a certificate"
    CERTIFICATE = "certificate not there"
    KEY = "key not there"
    PARAMETER = "parameter too new"
    DUPLICATE = "directive twice"
    FOLDER = "folder not there"
    FILE = "file not there"
    USER = "unknown user"
    GROUP = "unknown group"
    ADDRESS = "address not on this machine"
    FAMILY = "no such family of addresses"
    MODULE = "module cannot be loaded"
    SYMBOL = "module needs another one first"
    LUA = "Lua does not start"
    OTHER = "anything else"


class Complaint(msgspec.Struct, frozen=True):
    """One of nginx's words: what is missing, its name, and where the configuration names it (nginx's path and line)."""

    lack: Lack
    what: str
    text: str
    file: str = ""
    line: int = 0


PATTERNS: tuple[tuple[Lack, str], ...] = (
    (Lack.DIRECTIVE, r'unknown directive "(?P<what>[^"]+)"'),
    (Lack.VARIABLE, r'unknown "(?P<what>\w+)" variable'),
    (Lack.HOST, r'host not found in (?:\w+ )?"(?P<what>[^"]+)"'),
    (Lack.NO_CERTIFICATE, r'no "(?P<what>ssl_certificate(?:_key)?)" is defined'),
    (Lack.KEY, r'cannot load certificate key "(?P<what>[^"]+)"'),
    (Lack.CERTIFICATE, r'cannot load certificate "(?P<what>[^"]+)"'),
    (Lack.CERTIFICATE, r'SSL_CTX_load_verify_locations\("(?P<what>[^"]+)"\) failed'),
    (Lack.PARAMETER, r'(?:invalid parameter|the invalid) "(?P<what>[^"]+)"(?: parameter)?'),
    (Lack.DUPLICATE, r'"(?P<what>\w+)" directive is duplicate'),
    (Lack.SYMBOL, r'dlopen\(\) "(?P<what>[^"]+)" failed \(.*undefined symbol: \w+'),
    (Lack.MODULE, r'dlopen\(\) "(?P<what>[^"]+)" failed'),
    (Lack.MODULE, r'module "(?P<what>[^"]+)" (?:is not binary compatible|version \d+ instead)'),
    (Lack.FOLDER, r'mkdir\(\) "(?P<what>[^"]+)" failed \((?:2|30):'),
    (Lack.FILE, r'(?:open\(\)|BIO_new_file\(\)|stat\(\)|fopen\(\)) ?\(?"(?P<what>/[^"]+)"\)? failed'),
    (Lack.FILE, r"BIO_new_file\('?\"?(?P<what>/[^'\",]+)"),
    (Lack.USER, r'getpwnam\("(?P<what>[^"]+)"\) failed'),
    (Lack.GROUP, r'getgrnam\("(?P<what>[^"]+)"\) failed'),
    (Lack.ADDRESS, r"bind\(\) to (?P<what>\S+) failed \(99:"),
    (Lack.FAMILY, r"socket\(\) (?P<what>\S+) failed \(97:"),
    (Lack.LUA, r"(?P<what>\w+_by_lua(?:_block|_file)?) error"),
    (Lack.LUA, r"failed to (?:load the|initialize) '?(?P<what>[\w.]+)'?"),
)
SEVERE = re.compile(r"\[(?:emerg|alert|error|crit)\] (?:\d+#\d+: )?(?P<text>.*)")
PLACE = re.compile(r" in (?P<file>/[^:]+):(?P<line>\d+)$")


def read_complaints(output: str) -> list[Complaint]:
    """What it refused, in the order of the output; its warnings are none."""
    return [_read(match["text"].strip()) for match in map(SEVERE.search, output.splitlines()) if match is not None]


def _read(text: str) -> Complaint:
    place = PLACE.search(text)
    file, line = (place["file"], int(place["line"])) if place is not None else ("", 0)
    for lack, pattern in PATTERNS:
        if (match := re.search(pattern, text)) is not None:
            return Complaint(lack=lack, what=match["what"], text=text, file=file, line=line)
    return Complaint(lack=Lack.OTHER, what="", text=text, file=file, line=line)
