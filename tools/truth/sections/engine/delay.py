"""A known distribution of delays must come back: the engine's service times beside what the origin says it took."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from functools import partial
from statistics import NormalDist

from tools.truth import http2
from tools.truth.lines import Case, Figures, Sorted
from tools.truth.page.part import Bar, Part, Section, median, spread
from tools.truth.server import BACKENDS, Origin, load, measured, origin, quantile

SECTION = "delay"
MEDIAN_MS, SIGMA = 20.0, 0.4
# With 64 connections and 21.7 ms on average 2,950 requests/s are the most: this is half of it.
RATE, SECONDS, CONNECTIONS = 1475, 3, 64
QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999}
MARGIN, MARGIN_NS = 0.01, 30_000
RUNS = 12
COLUMNS = ["backend", "quantile", "scripted:", "origin's log:", "engine:", "difference, µs:", "runs within:", "holds"]


class Way(Enum):
    """To the origin."""

    DIRECT = "direct"
    PROXY = "through nginx, over HTTP/1.1"
    PROXY_HTTP2 = "through nginx, over HTTP/2"


def script() -> str:
    """As the origin takes it."""
    return f"lognormal:{MEDIAN_MS:g}ms:{SIGMA}"


def scripted_ns(share: float) -> float:
    """The quantile of the distribution itself."""
    return MEDIAN_MS * 1e6 * math.exp(SIGMA * NormalDist().inv_cdf(share))


def run(io: str, number: int, *, over_http2: bool = False) -> Figures:
    """Quantiles of the service time, beside those of the time that the origin took by its own log.

    Over HTTP/2 the time that nginx takes is taken off: what HTTP/1.1 through the same nginx adds to the log.
    """
    if not over_http2:
        return _quantiles(io, number, Way.DIRECT)
    plain, figures = _quantiles(io, number, Way.PROXY), _quantiles(io, number, Way.PROXY_HTTP2)
    for name in QUANTILES:
        figures[f"hop_{name}_ns"] = plain[f"difference_{name}_ns"]
        figures[f"difference_{name}_ns"] -= plain[f"difference_{name}_ns"]
    return figures


def _quantiles(io: str, number: int, way: Way) -> Figures:
    with origin(number) as server, _front(server, way) as address:
        over = http2.OPTIONS if way is Way.PROXY_HTTP2 else ("-c", CONNECTIONS)
        result = load(
            f"http://{address}/hello?delay={script()}",
            *("--io", io, *over, "-r", RATE, "-d", f"{SECONDS}s", "--arrivals", "poisson"),
            *("--seed", number),
        )
        busy_s = server.cpu_s()
        rows = measured(server.requests(), result)
    took = (rows["f1"] - rows["f0"]).astype(float)
    figures = {"origin_busy": busy_s / SECONDS}
    for name, share in QUANTILES.items():
        figures[f"{name}_ns"] = float(result["service_time_ns"][name] or 0)
        figures[f"origin_{name}_ns"] = quantile(took, share)
        figures[f"difference_{name}_ns"] = figures[f"{name}_ns"] - figures[f"origin_{name}_ns"]
    return figures


@contextmanager
def _front(server: Origin, way: Way) -> Iterator[str]:
    if way is Way.DIRECT:
        yield server.address
        return
    with http2.front(server) as front:
        yield front.http1 if way is Way.PROXY else front.http2


def miss(figures: Figures, name: str) -> float:
    """How far off a quantile is, as a share of what is allowed."""
    allowed_ns = max(MARGIN * figures[f"origin_{name}_ns"], MARGIN_NS)
    return abs(figures[f"difference_{name}_ns"]) / allowed_ns


class Delay(Section):
    """Both backends, over HTTP/1.1 and HTTP/2."""

    key = SECTION
    heading = "## A known delay comes back"

    def cases(self) -> list[Case]:
        """Both backends, over HTTP/1.1 and HTTP/2."""
        settings: dict[str, object] = {
            "delay": script(),
            "rate_per_s": RATE,
            "seconds": SECONDS,
            "connections": CONNECTIONS,
            "seed": "the number of the run",
        }
        over_http2 = settings | http2.SETTINGS | {"less": Way.PROXY.value}
        return [Case(SECTION, io, partial(run, io), RUNS, settings) for io in BACKENDS] + [
            Case(SECTION, io + http2.SUFFIX, partial(run, io, over_http2=True), RUNS, over_http2) for io in BACKENDS
        ]

    def parts(self, done: Sorted) -> list[Part]:
        """A row for each quantile of each backend."""
        prose = (
            f"The origin delays its answers (`{script()}`); {RATE:,} requests/s, Poisson, {SECONDS} s, half of what"
            f" {CONNECTIONS} connections can carry. Each quantile of the service time must be within {MARGIN * 100:g} %"
            f" or {MARGIN_NS // 1000} µs of the same quantile in the origin's own log of that run (request read to"
            " answer sent). Scripted: of the distribution itself, from which a run's sample differs. ms, the"
            f" difference in µs. {http2.WORDS} Here it is taken off: what HTTP/1.1 through the same nginx adds to the"
            " log."
        )
        rows, verdicts, busy = [], [], []
        for case in self.cases():
            runs = done.of(SECTION, case.name)
            if runs:
                busy.append(f"{case.name} {median(runs, 'origin_busy') * 100:.0f} %")
            for name, share in QUANTILES.items():
                bar = Bar([[miss(figures, name)] for figures in runs], case.runs)
                verdicts.append(bar.verdict())
                cells = ["", "", ""]
                if runs:
                    cells = [f"{median(runs, f'{which}{name}_ns') / 1e6:.3f}" for which in ("origin_", "")]
                    cells.append(spread(runs, f"difference_{name}_ns", lambda value: f"{value / 1e3:.0f}"))
                scripted = [case.name, f"{share * 100:g} %", f"{scripted_ns(share) / 1e6:.3f}"]
                rows.append([*scripted, *cells, bar.within(), bar.verdict()])
        after = [f"The origin's core was in use for {', '.join(busy)} of the time."] if busy else []
        return [Part([prose], COLUMNS, rows, verdicts, after)]
