"""What `make bench` measures: its tables, each some generators under the same load."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hopcost.programs.generators.process import Drive
from hopcost.suites.arms.arm import Link
from tools.bench.contenders import (
    CLOSING,
    TO_SOCKET,
    Contender,
    contender,
    engine,
    h2load_over_http2,
    over_unix_socket,
)

BATCH = 16
LARGE_BYTES = 1 << 20
FEW, MANY = 100, 10_000
STREAMS = (1, 10)
H2LOAD = "h2load"
PER_REQUEST = "CPU µs per request"
ONCE_OPEN = f"{PER_REQUEST}, once connections are open"
OPENED = ("--warm-up", "500ms")
KINDS = {  # of our engine, with their options
    "hopcost-engine": ("--io", "uring"),
    "hopcost-engine, epoll": ("--io", "epoll"),
}
Cost = Callable[[Drive], float]


@dataclass(frozen=True)
class Section:
    """One table: some generators under the same load, and what is read from each."""

    title: str
    server: str
    target: str
    runs: dict[str, tuple[Contender, int]]
    """Generator and connections, by the name of its row."""
    reference: dict[str, str]
    """To which row the ratio of a row is."""
    unit: str
    cost: Cost
    aim: str
    link: Link = Link.HTTP_TCP
    references: str = "fewer connections"
    """What they are called if there are several."""
    least_s: int = 1
    """Seconds of a run at the least: most generators open their connections within the measured time."""
    tells_memory: bool = False
    """Whether what a connection takes of the engine's memory stands below."""

    @property
    def compared_with(self) -> str:
        """To what ratios are, in words."""
        names = set(self.reference.values())
        return names.pop() if len(names) == 1 else self.references


def sections(path: Path, others: list[str]) -> list[Section]:
    """All tables: our engine under the options that matter, and every peer that is installed."""

    def ours(*options: str) -> dict[str, Contender]:
        return {name: engine(path, *kind, *options) for name, kind in KINDS.items()}

    batch = engine(path, "--io", "uring", "--batch", str(BATCH))
    floor = engine(path, "--io", "uring", "--batch", str(BATCH), verb="floor")
    peers = {name: contender(name) for name in others}
    everyone = {**ours(), f"hopcost-engine, batch {BATCH}": batch, f"floor, batch {BATCH}": floor, **peers}
    closing = {name: contender(name, keep_alive=False) for name in others if name in CLOSING}
    on_sockets = {**ours(), **{name: over_unix_socket(name) for name in others if name in TO_SOCKET}}
    beside_h2load = [
        beside(H2LOAD, "A Unix socket, 64 connections", on_sockets, 64, "0.75 at most", link=Link.HTTP_UNIX),
        *(over_http2(path, streams) for streams in STREAMS),
    ]
    large = f"/bytes/{LARGE_BYTES}"
    return [
        beside("wrk", "1 connection", {**ours(), **peers}, 1, "1 at most"),
        beside("wrk", "64 connections", everyone, 64, "0.75 at most"),
        beside("wrk", "1000 connections", everyone, 1000, "0.75 at most"),
        beside("wrk", f"{MANY:,} connections", {**ours(), **peers}, MANY, "0.75 at most", server="origin", least_s=5),
        beside_fewer(path),
        beside_idle(path),
        beside("wrk", "1 MiB answers", {**ours(), **peers}, 16, "1 at most", server="origin", target=large),
        beside("wrk", "A connection per request", {**ours("-H", "Connection: close"), **closing}, 64, "0.9 at most"),
        beside("wrk", "TLS, 64 connections", {**ours("--insecure"), **peers}, 64, "1 at most", link=Link.HTTPS_TCP),
        *(beside_h2load if H2LOAD in others else []),
    ]


def beside(
    reference: str,
    title: str,
    who: dict[str, Contender],
    connections: int,
    aim: str,
    *,
    server: str = "nginx",
    target: str = "/",
    link: Link = Link.HTTP_TCP,
    least_s: int = 1,
) -> Section:
    """All of them with so many connections, beside the one of that name."""
    runs = {name: (program, connections) for name, program in who.items()}
    to = dict.fromkeys(runs, reference)
    return Section(title, server, target, runs, to, PER_REQUEST, per_request, aim, link=link, least_s=least_s)


def beside_fewer(path: Path) -> Section:
    """What many connections cost our engine, each kind beside itself with few."""
    kinds = {name: engine(path, *options, *OPENED) for name, options in KINDS.items()}
    return Section(
        title=f"{MANY:,} connections beside {FEW}",
        server="origin",
        target="/",
        runs={f"{name}, {count}": (kind, count) for name, kind in kinds.items() for count in (FEW, MANY)},
        reference={f"{name}, {count}": f"{name}, {FEW}" for name in kinds for count in (FEW, MANY)},
        unit=ONCE_OPEN,
        cost=per_request_without_opening,
        aim="1.6 times at most",
        tells_memory=True,
    )


def beside_idle(path: Path) -> Section:
    """What connections cost our engine that are open and not used, each kind beside itself without them."""
    idle = MANY - FEW
    runs: dict[str, tuple[Contender, int]] = {}
    reference: dict[str, str] = {}
    for name, options in KINDS.items():
        alone, with_idle = f"{name}, {FEW} open", f"{name}, {MANY:,} open"
        runs[alone] = (engine(path, *options, *OPENED), FEW)
        runs[with_idle] = (engine(path, *options, *OPENED, "--idle", f"{idle}@3600s"), FEW)
        reference |= {alone: alone, with_idle: alone}
    return Section(
        title=f"{MANY:,} connections open, {FEW} used",
        server="origin",
        target="/",
        runs=runs,
        reference=reference,
        unit=ONCE_OPEN,
        cost=per_request_without_opening,
        aim="1.1 times at most",
        references="none idle",
    )


def beside_earlier(path: Path, earlier: Path, commit: str) -> Section:
    """Our engine and an earlier one, each backend beside itself: a plain load must not have become dearer."""
    runs: dict[str, tuple[Contender, int]] = {}
    reference: dict[str, str] = {}
    for backend in ("uring", "epoll"):
        now, before = f"hopcost-engine, {backend}", f"the earlier one, {backend}"
        runs[now] = (engine(path, "--io", backend), 64)
        runs[before] = (engine(earlier, "--io", backend), 64)
        reference |= {now: before, before: before}
    title, aim = f"64 connections beside the engine of {commit}", "1.02 at most"
    return Section(title, "nginx", "/", runs, reference, PER_REQUEST, per_request, aim, references="the earlier one")


def over_http2(path: Path, streams: int) -> Section:
    """Our engine and h2load over HTTP/2 inside TLS, with so many requests at a time on each connection."""
    options = ("--http2", "--streams", str(streams), "--insecure")
    who = {
        "hopcost-engine": engine(path, "--io", "uring", *options),
        "hopcost-engine, epoll": engine(path, "--io", "epoll", *options),
        H2LOAD: h2load_over_http2(streams),
    }
    return Section(
        title=f"HTTP/2 over TLS, 64 connections, {streams} at a time on each",
        server="nginx",
        target="/",
        runs={name: (program, 64) for name, program in who.items()},
        reference=dict.fromkeys(who, H2LOAD),
        unit=PER_REQUEST,
        cost=per_request,
        aim="1 at most",
        link=Link.HTTP2_TLS,
    )


def heading(section: Section) -> str:
    """Its title on the page."""
    return section.title if section.server == "nginx" else f"{section.title}, the embedded origin"


def per_request(drive: Drive) -> float:
    """CPU µs per correct answer."""
    return drive.cpu_ns / drive.counts.answers / 1000


def per_request_without_opening(drive: Drive) -> float:
    """CPU µs per correct answer while load ran; of our engine alone."""
    return (drive.counts.own_cpu_ns or 0) / drive.counts.answers / 1000
