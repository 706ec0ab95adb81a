"""What `make bench` measures: its tables, each some generators under the same load."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hopcost.programs.generators.process import Drive
from hopcost.suites.arms.arm import Link
from tools.bench.contenders import CLOSING, Contender, contender, engine, h2load_over_http2

BATCH = 16
LARGE_BYTES = 1 << 20
FEW, MANY = 100, 10_000
STREAMS = (1, 10)
H2LOAD = "h2load"
PER_REQUEST = "CPU µs per request"
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

    @property
    def compared_with(self) -> str:
        """To what ratios are, in words."""
        names = set(self.reference.values())
        return names.pop() if len(names) == 1 else self.references


def sections(path: Path, others: list[str]) -> list[Section]:
    """All tables: our engine under the options that matter, and every peer that is installed."""

    def ours(*options: str) -> dict[str, Contender]:
        return {
            "hopcost-engine": engine(path, "--io", "uring", *options),
            "hopcost-engine, epoll": engine(path, "--io", "epoll", *options),
        }

    batch = engine(path, "--io", "uring", "--batch", str(BATCH))
    floor = engine(path, "--io", "uring", "--batch", str(BATCH), verb="floor")
    everyone = {
        **ours(),
        f"hopcost-engine, batch {BATCH}": batch,
        f"floor, batch {BATCH}": floor,
        **{name: contender(name) for name in others},
    }
    close = {name: contender(name, keep_alive=False) for name in others if name in CLOSING}

    def against_wrk(
        title: str, who: dict[str, Contender], connections: int, aim: str, server: str = "nginx", target: str = "/"
    ) -> Section:
        runs = {name: (program, connections) for name, program in who.items()}
        return Section(title, server, target, runs, dict.fromkeys(runs, "wrk"), PER_REQUEST, per_request, aim)

    many = {
        **ours("--warm-up", "500ms"),
        f"hopcost-engine, batch {BATCH}": engine(path, "--io", "uring", "--batch", str(BATCH), "--warm-up", "500ms"),
    }
    return [
        against_wrk("64 connections", everyone, 64, "0.75 at most"),
        against_wrk("1000 connections", everyone, 1000, "0.75 at most"),
        Section(
            title=f"{MANY:,} connections beside {FEW}",
            server="origin",
            target="/",
            runs={f"{name}, {count}": (kind, count) for name, kind in many.items() for count in (FEW, MANY)},
            reference={f"{name}, {count}": f"{name}, {FEW}" for name in many for count in (FEW, MANY)},
            unit=f"{PER_REQUEST}, once connections are open",
            cost=per_request_without_opening,
            aim="1.6 times at most",
        ),
        against_wrk(
            "1 MiB answers",
            {**ours(), **{name: contender(name) for name in others}},
            16,
            "1 at most",
            server="origin",
            target=f"/bytes/{LARGE_BYTES}",
        ),
        against_wrk("A connection per request", {**ours("-H", "Connection: close"), **close}, 64, "0.9 at most"),
        *(over_http2(path, streams) for streams in STREAMS if H2LOAD in others),
    ]


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
