"""`hopcost conf` on a file whose changes do nothing, and one that has a known fault. A section of the truth's page.

The null directives cost nothing under this load: they wait for a header of proxies that nobody sends. The fault is an
upstream pool of two connections under 32: it must be found.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path

import msgspec

from hopcost.errors import MeasurementFailed
from hopcost.plan.method import METHOD
from hopcost.statistics.intervals import Interval
from tools.truth.form import Runs
from tools.truth.lines import Case, Figures, Sorted
from tools.truth.page.part import Part, Section, median, unfinished
from tools.truth.runs import HOPCOST, VERDICTS_STEAL_MOST

SECTION = "conf"
NULL, FAULT = "null directives", "a pool of two"
RUNS = Runs(full=20, short=1)
TIME_S, RUN_S = 150.0, 200.0
CONNECTIONS = 32
DIRECTIONS_MOST = 2  # of 20 runs in which some null directive is called one that saves or costs
FOUND_LEAST = 0.9  # of the runs: 18 of 20
NULLS = ("real_ip",)  # what their changes are called by
COLUMNS = ["file", "done:", "with a direction:", "found and kept:", "its effect:", "±, median:", "holds"]

FILE = """\
worker_processes 1;
events { worker_connections 1024; }
http {
    access_log off;
    set_real_ip_from 10.0.0.0/8;
    real_ip_header X-Real-IP;
    upstream app {
        server 127.0.0.1:3000;
        keepalive %d;
    }
    server {
        listen 8080;
        server_name example.org;
        location / {
            proxy_pass http://app;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
        }
    }
}
"""
POOLS = {NULL: 64, FAULT: 2}


class _Candidate(msgspec.Struct):
    name: str
    words: str


class _Change(msgspec.Struct):
    candidate: _Candidate
    worth: str
    confirmed: Interval | None = None


class _Answer(msgspec.Struct):
    """What of the answer as JSON is read here."""

    changes: list[_Change]
    kept: list[str]


def run(name: str, number: int) -> Figures:
    """One run on the file; what it says of its changes."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "nginx.conf"
        file.write_text(FILE % POOLS[name], encoding="utf-8")
        words = [HOPCOST, "conf", file, "--time", TIME_S, "--seed", number, "-c", CONNECTIONS, "--json"]
        words += ["--record", Path(folder) / "record"]
        began = time.monotonic()
        ran = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False, cwd=folder)
        seconds = time.monotonic() - began
    try:
        answer = msgspec.json.decode(ran.stdout, type=_Answer)
    except msgspec.DecodeError as error:
        raise MeasurementFailed(f"hopcost conf ended with {ran.returncode}: {ran.stderr[-2000:]}") from error
    return {**counted(answer), "seconds": round(seconds, 2)}


def counted(answer: _Answer) -> Figures:
    """How many changes were confirmed, how many null ones have a direction, and what became of the pool."""
    confirmed = [change for change in answer.changes if change.confirmed is not None]
    null = [change for change in confirmed if any(name in change.candidate.words for name in NULLS)]
    pool = next((change for change in confirmed if "keepalive" in change.candidate.name), None)
    figures: Figures = {
        "confirmed": len(confirmed),
        "null": len(null),
        "directions": sum(change.worth in ("saves", "costs") for change in null),
        "kept": float(pool is not None and pool.candidate.name in answer.kept),
        "effect_us": 0.0,
        "half_width_us": -1.0,
    }
    widest = pool or max(confirmed, key=_width_ns, default=None)
    if widest is not None and widest.confirmed is not None:
        figures["effect_us"] = widest.confirmed.value / 1e3
        figures["half_width_us"] = _width_ns(widest) / 1e3
    return figures


def _width_ns(change: _Change) -> float:
    interval = change.confirmed
    if interval is None or interval.low is None or interval.high is None:
        return -1.0
    return (interval.high - interval.low) / 2


def verdict(name: str, wanted: int, runs: list[Figures]) -> str:
    """No as soon as null directives have too many directions; of the fault: whether it was found often enough."""
    if name == NULL and sum(figures["directions"] > 0 for figures in runs) > DIRECTIONS_MOST:
        return "no"
    if len(runs) < wanted:
        return unfinished(len(runs), wanted)
    if name == NULL:
        unseen = sum(not figures["null"] for figures in runs)
        return f"no: {unseen} runs confirmed no null directive" if unseen > DIRECTIONS_MOST else "yes"
    return "yes" if sum(figures["kept"] for figures in runs) >= FOUND_LEAST * wanted else "no"


class Planted(Section):
    """Runs of `hopcost conf` on two files of which the truth is known."""

    key = SECTION
    heading = "# Directives of an nginx.conf"
    asks = "`hopcost conf` finds what a directive costs, and nothing where it costs nothing"
    tells = ("with a direction", "found and kept", "done")
    short_s = None

    def cases(self) -> list[Case]:
        """A case for each file."""
        settings: dict[str, object] = {"time_s": TIME_S, "connections": CONNECTIONS, "method": METHOD.number}
        wanted = RUNS.of(self.form)
        return [
            Case(SECTION, name, partial(run, name), wanted, settings, VERDICTS_STEAL_MOST, seconds=RUN_S)
            for name in POOLS
        ]

    def parts(self, done: Sorted) -> list[Part]:
        """A row for each file."""
        wanted = RUNS.of(self.form)
        rows, words = [], []
        for name in POOLS:
            runs = done.of(SECTION, name)
            words.append(verdict(name, wanted, runs))
            rows.append([name, *_cells(name, runs, wanted), words[-1]])
        return [Part([_prose(wanted)], COLUMNS, rows, words)]


def _prose(wanted: int) -> str:
    return (
        f"`hopcost conf nginx.conf --time {TIME_S:g}` with {CONNECTIONS} connections, before hopcost's own origin. The"
        " file has directives that cost nothing under this load (they wait for a header of proxies that nobody"
        f" sends): some of them may be said to save or cost CPU time in at most {DIRECTIONS_MOST} of {wanted} runs."
        f" *{FAULT}* is the same file with `keepalive 2` in its upstream: the larger pool must be in the diff of at"
        f" least {FOUND_LEAST * 100:g} % of the runs."
    )


def _cells(name: str, runs: list[Figures], wanted: int) -> list[str]:
    with_range = [figures for figures in runs if figures["half_width_us"] >= 0]
    return [
        f"{len(runs)} of {wanted}",
        f"{sum(figures['directions'] > 0 for figures in runs)}",
        f"{sum(figures['kept'] for figures in runs):.0f}" if name == FAULT else "",
        f"{median(with_range, 'effect_us'):+.1f} µs" if with_range and name == FAULT else "",
        f"{median(with_range, 'half_width_us'):.1f} µs" if with_range else "",
    ]
