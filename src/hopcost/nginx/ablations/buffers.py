"""Buffers between nginx and the app: for answers, and for uploads."""

from __future__ import annotations

from collections.abc import Iterator

from hopcost.nginx.ablations.ablation import Ablation, Receipt
from hopcost.nginx.ablations.context import Context, size_bytes
from hopcost.nginx.edits.make import set_arguments

NO_APP = "this path asks no app; --path of one that does would show it"
NO_UPLOAD = "the load uploads nothing; --body-bytes N would show it"
KINDS = {"proxy_pass": "proxy", "fastcgi_pass": "fastcgi", "uwsgi_pass": "uwsgi", "scgi_pass": "scgi"}
PAGE_BYTES = 8192
MOST_BYTES = 4 << 20
PIECE_BYTES = 16384


def find(context: Context) -> Iterator[Ablation]:
    """Buffering of answers and uploads, and buffers that hold the answer of this load."""
    if not context.site.upstreams:
        return
    kind = KINDS.get(context.site.upstreams[0].passes.name)
    if kind is None:
        return
    unseen = None if context.seen.is_from_upstream else NO_APP
    off = [directive for directive, _ in context.all_of(f"{kind}_buffering") if directive.first == "off"]
    if off:
        yield context.make(
            "buffering",
            f"{kind}_buffering on",
            off,
            context.set_all(off, "on"),
            unseen=unseen,
            buys="the first bytes of a slow answer come at once",
        )
    yield from _larger(context, kind, unseen)
    uploads = [directive for directive, _ in context.all_of(f"{kind}_request_buffering") if directive.first == "off"]
    if uploads:
        yield context.make(
            "request-buffering",
            f"{kind}_request_buffering on",
            uploads,
            context.set_all(uploads, "on"),
            unseen=unseen if context.seen.is_upload else NO_UPLOAD,
            buys="uploads reach the app while they come",
        )


def _larger(context: Context, kind: str, unseen: str | None) -> Iterator[Ablation]:
    """Buffers for the whole answer, if what there is makes nginx write it into a temporary file."""
    body = context.seen.body_bytes
    buffers = context.in_effect(f"{kind}_buffers")
    count, size = _counts(buffers.args if buffers is not None else ())
    if body <= count * size or body > MOST_BYTES or context.value(f"{kind}_buffering", "on") == "off":
        return
    pieces = -(-body // PIECE_BYTES) + 4
    words = f"{pieces} {PIECE_BYTES // 1024}k"
    busy = context.in_effect(f"{kind}_busy_buffers_size")
    if busy is not None and (size_bytes(busy.first) or 0) < 2 * PIECE_BYTES:
        return  # nginx would refuse the pair
    yield context.make(
        f"{kind}-buffers",
        f"{kind}_buffers {count} {size // 1024}k → {words}",
        [buffers or context.site.server],
        [set_arguments(buffers, words)] if buffers is not None else context.added(f"{kind}_buffers {words};"),
        is_offered=True,
        receipt=Receipt.TEMP_FILES,
        unseen=unseen,
        buys=f"costs: up to {pieces * PIECE_BYTES // 1024} kB of memory for each answer under way",
    )


def _counts(args: tuple[str, ...]) -> tuple[int, int]:
    size = size_bytes(args[1]) if len(args) == 2 else None
    return (int(args[0]), size) if size is not None and args[0].isdigit() else (8, PAGE_BYTES // 2)
