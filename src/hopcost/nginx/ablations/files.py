"""Files that nginx sends itself: how it opens them and how it writes them."""

from __future__ import annotations

from collections.abc import Iterator

from hopcost.nginx.ablations.ablation import Ablation, Receipt
from hopcost.nginx.ablations.context import Context, on
from hopcost.nginx.edits.make import set_arguments

NOT_A_FILE = "this path is no file of nginx's own; --path of one would show it"
SMALL = "the file is small; --path of one above 100 kB would show it"
LARGE_BYTES = 100_000
CACHE = ("open_file_cache max=1000 inactive=20s;", "open_file_cache_valid 30s;")


def find(context: Context) -> Iterator[Ablation]:
    """A cache of open files, sendfile, tcp_nopush, and reading in threads."""
    seen = context.seen
    unseen = NOT_A_FILE if seen.is_from_upstream else None
    if not _serves_files(context):
        return
    cache = context.in_effect("open_file_cache")
    if cache is None or cache.first == "off":
        yield context.make(
            "open-file-cache",
            "add open_file_cache",
            [cache or context.site.server],
            [set_arguments(cache, "max=1000 inactive=20s")] if cache is not None else context.added(*CACHE),
            is_offered=True,
            receipt=Receipt.OPEN_FILES,
            unseen=unseen,
            buys="costs: a changed file is seen up to 30 s late",
        )
    else:
        yield context.make(
            "no-open-file-cache",
            "open_file_cache off",
            [cache],
            [set_arguments(cache, "off")],
            receipt=Receipt.OPEN_FILES,
            unseen=unseen,
            buys="files are opened once for many requests",
        )
    sendfile = context.in_effect("sendfile")
    if sendfile is None or sendfile.first == "off":
        yield context.make(
            "sendfile",
            "sendfile on",
            [sendfile or context.site.server],
            [set_arguments(sendfile, "on")] if sendfile is not None else context.added("sendfile on;"),
            is_offered=True,
            unseen=unseen
            or _of_size(context)
            or ("TLS encrypts in nginx: sendfile has no effect" if seen.is_tls else None),
            buys="costs nothing",
        )
    nopush = on(context.all_of("tcp_nopush"))
    if nopush:
        yield context.make(
            "no-tcp-nopush",
            "tcp_nopush off",
            nopush,
            context.set_all(nopush, "off"),
            unseen=unseen or _of_size(context),
            buys="full packets",
        )
    threads = on(context.all_of("aio", "directio"))
    if threads:
        yield context.make(
            "no-aio",
            "no aio, no directio",
            threads,
            context.set_all(threads, "off"),
            unseen=unseen or _of_size(context),
            buys="a slow disk stops no other request",
        )


def _serves_files(context: Context) -> bool:
    """Whether any location looks for files: a proxy alone needs none of this."""
    return not context.seen.is_from_upstream or bool(context.all_of("root", "alias", "try_files"))


def _of_size(context: Context) -> str | None:
    return SMALL if context.seen.body_bytes < LARGE_BYTES else None
