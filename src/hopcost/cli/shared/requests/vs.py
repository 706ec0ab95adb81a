"""How servers that run already are asked, as the options say, and what is told of them before they are loaded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from hopcost.cli.shared.requests.files import refuse_missing
from hopcost.errors import UsageError, printable
from hopcost.measure.protocols.versus.find import Wishes, read_named
from hopcost.measure.protocols.versus.run import Prepared

TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def read_wishes(
    urls: Sequence[str],
    *,
    method: str | None,
    body_file: Path | None,
    may_load: bool,
    verify: bool,
    ca_file: Path | None = None,
    pids: list[str] | None = None,
    cgroups: list[str] | None = None,
    freeze: bool = False,
    http2: Sequence[int] = (),
    streams: int = 1,
) -> Wishes:
    """The options together; UsageError for a word that is none, and for two that contradict each other."""
    if method is not None and TOKEN.fullmatch(method) is None:
        raise UsageError(f"-m `{method}`: not a method", "like GET or POST")
    for option, path in (("--body-file", body_file), ("--ca", ca_file)):
        if path is not None:
            refuse_missing(option, path)
    if not verify and ca_file is not None:
        raise UsageError("--insecure and --ca", "one of the two: trust anybody, or whom FILE names")
    for number in http2:
        if number > len(urls):
            raise UsageError(
                f"--http2 {number}: expected the number of a URL, from 1 to {len(urls)}",
                "--http2 2 speaks HTTP/2 with the second URL",
            )
    if streams > 1 and not http2:
        raise UsageError("--streams without --http2", "--http2 2 speaks HTTP/2 with the second URL")
    return Wishes(
        pids=_read_pids(pids or [], len(urls)),
        cgroups=read_named("--cgroup", cgroups or [], len(urls)),
        freeze=freeze,
        may_load=may_load,
        method=method or ("GET" if body_file is None else "POST"),
        body_file=None if body_file is None else str(body_file.resolve()),
        verify=verify,
        ca_file=None if ca_file is None else str(ca_file.resolve()),
        http2=frozenset(http2),
    )


def tell_servers(console: Console, prepared: Prepared) -> None:
    """Who is loaded, before anything is; and how their answers differ."""
    for server in prepared.servers:
        console.print(printable(server.words), markup=False, soft_wrap=True)
    if prepared.answers.difference:
        compared = prepared.answers.expect.compared.value
        what = {"length": "status and length are compared", "status": "the status alone is compared"}[compared]
        console.print(f"their answers differ, so {what}:", style="yellow", markup=False, soft_wrap=True)
        for line in prepared.answers.difference:
            console.print(printable(line), markup=False, soft_wrap=True)


def _read_pids(words: list[str], urls: int) -> dict[int, list[int]]:
    """By the number of the URL."""
    named = read_named("--pid", words, urls)
    for number, pids in named.items():
        for pid in pids:
            if not pid.isdecimal():
                raise UsageError(f"--pid {number}={pid}: not a process number", "pgrep -a NAME lists pids")
    return {number: [int(pid) for pid in pids] for number, pids in named.items()}
