"""Traps of processes, connections and logs."""

from __future__ import annotations

from collections.abc import Iterator

from hopcost.nginx.ablations.context import Context, on, size_bytes
from hopcost.nginx.edits import Edit
from hopcost.nginx.edits.make import place_of, set_argument, set_arguments
from hopcost.nginx.traps.trap import Bite, Trap
from hopcost.nginx.tree import Directive

DEFAULT_CONNECTIONS = 512
TALKATIVE = {"debug": "dozens of lines for each request", "info": "a line for each client that goes away"}
HIGH_LEVEL = 6
ROOM = 32  # listening sockets, channels between processes, logs


def find(context: Context) -> Iterator[Trap]:
    """Traps of the whole nginx, by line."""
    yield from _of_connections(context)
    if context.workers > 1:
        for line in on(context.all_of("multi_accept")):
            words = (
                f"multi_accept with {context.workers} workers: one of them takes all new connections, the others wait"
            )
            yield _trap(context, "multi-accept", line, words, [set_arguments(line, "off")])
    for placed in context.all_of("error_log"):
        line = placed.directive
        level = line.args[1] if len(line.args) > 1 else ""
        if level in TALKATIVE:
            words = f"error_log at level {level} writes {TALKATIVE[level]}"
            yield _trap(context, f"error-log-{level}", line, words, [set_argument(line, 1, "warn")])
    for placed in context.all_of("gzip_comp_level", "brotli_comp_level"):
        line = placed.directive
        if line.first.isdigit() and int(line.first) > HIGH_LEVEL:
            words = f"level {line.first} takes several times the CPU of level 1 for some percent less"
            yield _trap(context, "compression-level", line, words, [set_arguments(line, "1")])


def _of_connections(context: Context) -> Iterator[Trap]:
    """A connection of a client takes one more to the app, over HTTP/2 one for each of its requests."""
    seen = context.seen
    lines = [directive for directive, _ in context.all_of("worker_connections")]
    events = [directive for directive, _ in context.all_of("events")]
    number = size_bytes(lines[-1].first) if lines else DEFAULT_CONNECTIONS
    place = (lines or events or [context.http])[-1]
    wanted = seen.connections + (seen.at_once if seen.is_from_upstream else 0) + ROOM
    if number is not None and number * context.workers < wanted:
        more = 1 << (wanted - 1).bit_length()
        more_each = "one more" if seen.streams in (None, 1) else f"{seen.streams} more"
        words = (
            f"worker_connections {number} for {seen.connections} connections of clients"
            f"{f', each with {more_each} to the app' if seen.is_from_upstream else ''}: nginx refuses or closes some; "
            f"{more} would do"
        )
        edits = [set_arguments(lines[-1], str(more))] if lines else []
        yield _trap(context, "worker-connections", place, words, edits, Bite.FAILS)
    files = [directive for directive, _ in context.all_of("worker_rlimit_nofile")]
    limit = size_bytes(files[-1].first) if files else None
    if limit is not None and number is not None and limit < number:
        words = f"worker_rlimit_nofile {limit} is below worker_connections {number}: nginx runs out of files first"
        edits = [set_arguments(files[-1], str(2 * number))]
        yield _trap(context, "open-files", files[-1], words, edits, Bite.FAILS)


def _trap(
    context: Context, name: str, directive: Directive, words: str, edits: list[Edit], bite: Bite = Bite.COSTS
) -> Trap:
    return Trap(name, place_of(context.configuration, directive), words, tuple(edits) or None, bite)
