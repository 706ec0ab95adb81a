"""What nginx does to the body on its way: compresses it, replaces words in it, expands it."""

from __future__ import annotations

from collections.abc import Iterator

from hopcost.nginx.ablations.ablation import Ablation, Receipt
from hopcost.nginx.ablations.context import Context, on, size_bytes

TYPE_BY_DEFAULT = "text/html"
LEAST_BY_DEFAULT = "20"
CHEAP_LEVEL = {"gzip": 1, "brotli": 1}
FILTERS = {
    "sub_filter": "words in the answers are replaced",
    "ssi": "includes in the answers are expanded",
    "addition_types": "texts are added to the answers",
    "charset": "the answers say their character set",
    "image_filter": "images are changed on their way",
    "xslt_stylesheet": "XML is transformed on its way",
}

TAKE_LENGTH = frozenset({"sub_filter", "ssi", "addition_types"})


def find(context: Context) -> Iterator[Ablation]:
    """Compression off, compression at level 1, and each filter away."""
    for kind in ("gzip", "brotli"):
        lines = on(context.all_of(kind))
        if not lines:
            continue
        unseen = _unseen(context, kind)
        yield context.make(
            f"{kind}-off",
            f"{kind} off",
            lines,
            context.set_all(lines, "off"),
            is_giant=True,
            receipt=Receipt.ENCODING,
            unseen=unseen,
            buys="fewer bytes on the wire",
        )
        levels = [directive for directive, _ in context.all_of(f"{kind}_comp_level")]
        high = [line for line in levels if line.first.isdigit() and int(line.first) > CHEAP_LEVEL[kind]]
        if high:
            yield context.make(
                f"{kind}-level",
                f"{kind}_comp_level {high[-1].first} → {CHEAP_LEVEL[kind]}",
                high,
                context.set_all(high, str(CHEAP_LEVEL[kind])),
                is_offered=True,
                receipt=Receipt.BYTES,
                unseen=unseen,
                buys="costs: the answers grow by some percent",
            )
        elif not levels and kind == "brotli":
            yield context.make(
                "brotli-level",
                "brotli_comp_level 6 → 1",
                lines,
                context.added("brotli_comp_level 1;"),
                is_offered=True,
                receipt=Receipt.BYTES,
                unseen=unseen,
                buys="costs: the answers grow by some percent",
            )
    ready = on(context.all_of("gzip_static", "brotli_static"))
    if ready:
        yield context.make(
            "static-compressed-off",
            "no ready compressed files",
            ready,
            context.set_all(ready, "off"),
            receipt=Receipt.BYTES,
            unseen="the app answers this path; --path of a file would show it"
            if context.seen.is_from_upstream
            else None,
            buys="files are sent compressed without compressing them",
        )
    for name, buys in FILTERS.items():
        filters = on(context.all_of(name))
        if filters:
            yield context.make(
                f"no-{name.replace('_', '-')}",
                f"no {name}",
                filters,
                context.removed(filters),
                receipt=Receipt.HEADER if _shows_in_head(context, name) else Receipt.NONE,
                buys=buys,
            )


def _shows_in_head(context: Context, name: str) -> bool:
    """Whether the filter changes the head: it takes Content-Length away, unless compression does so anyhow."""
    return name == "charset" or (name in TAKE_LENGTH and context.seen.encoding is None)


def _unseen(context: Context, kind: str) -> str | None:
    """Why the first answer was not compressed by nginx, in the order in which nginx decides."""
    seen = context.seen
    if seen.encoding == {"gzip": "gzip", "brotli": "br"}[kind]:
        return None
    if kind == "brotli":
        return "hopcost's load accepts gzip alone; -H 'Accept-Encoding: br' would show it"
    if seen.encoding is not None:
        return f"the app sends {seen.encoding} itself"
    if not seen.accepts_gzip:
        return "the request accepts no gzip; -H 'Accept-Encoding: gzip' would show it"
    if context.value("gzip", "off") == "off":
        return "it is on for other locations; --path of one of them would show it"
    types = context.in_effect("gzip_types")
    known = {TYPE_BY_DEFAULT, *(types.args if types is not None else ())}
    plain = (seen.content_type or "").partition(";")[0].strip().lower()
    if plain not in known and "*" not in known:
        return f"gzip_types does not name {plain or 'an answer without a type'}; --path of text would show it"
    least = size_bytes(context.value("gzip_min_length", LEAST_BY_DEFAULT)) or 0
    if seen.body_bytes < least:
        return f"{seen.body_bytes} bytes are below gzip_min_length {least}; --path of a longer answer would show it"
    if seen.status not in (200, 403, 404):
        return f"nginx compresses no answer with status {seen.status}"
    return "the answer was not compressed; --path of another one may show it"
