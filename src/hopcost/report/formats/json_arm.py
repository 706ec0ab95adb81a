"""What the JSON report holds of one arm, typed, as json_schema.py has the rest."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.programs.generators.engine_lines import TlsHandshakes
from hopcost.record.contents.evidence import Memory, TimeWait
from hopcost.record.contents.restart import RestartRun
from hopcost.statistics.arms.requests import RequestFigures
from hopcost.statistics.intervals import Interval
from hopcost.statistics.precision.precision import Settling
from hopcost.statistics.summary.open_loop import OpenFigures
from hopcost.statistics.summary.repeats import PeerFigures
from hopcost.statistics.summary.service_time import BesideFigures
from hopcost.statistics.summary.usage import Traffic
from hopcost.statistics.verdict import Size
from hopcost.suites.articles.published import Published


class ReportedComparison(msgspec.Struct, frozen=True):
    """One figure of an arm ÷ the baseline's, and the verdict read off its interval; `load_per_s` null at saturation."""

    figure: str
    load_per_s: float | None
    ratio: Interval | None
    verdict: str
    size: Size | None
    margin: float
    no_verdict: str | None
    caveats: list[str]
    restart_spread: float | None
    to_settle: Settling | None


class ReportedArm(msgspec.Struct, frozen=True):
    """One arm over all blocks that count: answers, requests per second, CPU ns per correct answer, service time in ns.

    The A/A arm is not among them: its ratio is the experiment's `aa_floor`.
    """

    name: Annotated[str, Meta(description="the arm; the A/A arm is not listed, its ratio is `aa_floor`")]
    title: Annotated[str, Meta(description="as in the suite")]
    answers: Annotated[
        int, Meta(description="correct answers in slices of the blocks that count; the baseline's first run")
    ]
    throughput_per_s: Annotated[float | None, Meta(description="answers ÷ the arm's own time")]
    throughput_is_a_bound: Annotated[bool, Meta(description="whether the generator was full while the stack idled")]
    ratio: Annotated[
        Interval | None,
        Meta(
            description="of throughput, to the mean of the baseline's two runs; the baseline's own is 1 by definition;"
            " null if there is none"
        ),
    ]
    cpu_ns_per_request: Annotated[
        dict[str, int | None],
        Meta(description="by hop name, and `generator`: CPU ns per correct answer; empty without answers"),
    ]
    cpu_ratio: Annotated[
        Interval | None, Meta(description="as `ratio`, of the CPU time of all hops per correct answer")
    ]
    service_time_ns: Annotated[
        dict[str, int | None],
        Meta(description="`p50`: median service time; null without answers; `p99`: 99th percentile"),
    ]
    service_time_at_least: Annotated[
        list[str],
        Meta(description="which of `p50` and `p99` lie among unanswered requests: the figure is then a lower bound"),
    ]
    comparisons: Annotated[
        list[ReportedComparison],
        Meta(
            description="with the baseline: `figure` (`throughput`, `cpu_per_request`, `cpu_per_request:HOP`,"
            " `response_p50`, `response_p99`), `load_per_s` (null at saturation), `ratio`, `verdict`"
            " (`faster`, `slower`, `cheaper`, `dearer`, `same`, `not settled`, `no verdict`), the `size` of a"
            " direction (`beyond the margin`, `negligible`, `open`), the `margin` it was read against, why there"
            " is `no_verdict`, `caveats` beside it, `restart_spread`: the share by which starts differ, and"
            " `to_settle`: of what is not settled the `half_width`, the `target` that would settle it (shares of the"
            " ratio), how many more `starts` that takes and how many `seconds`; else null"
        ),
    ]
    open_loop: Annotated[
        list[OpenFigures],
        Meta(
            description="at each offered load: `share`, `rate_per_s`, `answers`, `answered` (÷ due),"
            " `cpu_ns_per_request` by hop, `response_time_ns` (`p50`, `p90`, `p99`, `p999`; null with"
            " fewer than 100 samples beyond)"
        ),
    ]
    requests: Annotated[
        list[RequestFigures],
        Meta(
            description="of a mix, each request at full load (`rate_per_s` null) and at each offered load: `sent`,"
            " `answers`, `not_sent`, `errors` by kind, `time_ns` (`p50` and `p99`; service times at full load, else"
            " response times; null with fewer than 100 samples beyond); empty without a mix"
        ),
    ]
    faults: Annotated[
        list[str], Meta(description="its own, in words; `comparisons` say which are caveats, and which take a verdict")
    ]
    errors: Annotated[dict[str, int], Meta(description="by kind, all eight, in slices")]
    reconnects: Annotated[int, Meta(description="connections opened again without an error")]
    cpu_outside: Annotated[
        float | None, Meta(description="CPU time while it was meant to be frozen ÷ CPU time in its own slices")
    ]
    steady: Annotated[
        bool | None,
        Meta(description="whether it was by the end of its first warm-up; null if that was too short to tell"),
    ]
    header_bytes: Annotated[int, Meta(description="of the checked answer")]
    body_bytes: Annotated[int, Meta(description="of the checked answer")]
    published: Annotated[
        Published | None, Meta(description="the article's figures, as in the suite; null if there are none")
    ]
    published_ratio: Annotated[float | None, Meta(description="the article's throughput ÷ that of its control group")]
    cpu_percent: Annotated[
        float | None,
        Meta(
            description="CPU time of all hops ÷ (the arm's own time × cores of the stack), in per cent; null if a"
            " CPU time is not known"
        ),
    ]
    time_wait: Annotated[
        list[TimeWait], Meta(description="by link, as in blocks.jsonl: the largest of each side over blocks")
    ]
    memory: Annotated[
        dict[str, Memory], Meta(description="by hop, as in blocks.jsonl: the largest of each over blocks")
    ]
    notes: Annotated[list[str], Meta(description="as in blocks.jsonl, each once")]
    tls: Annotated[
        list[TlsHandshakes],
        Meta(description="what its TLS handshakes came to, as in blocks.jsonl, over all blocks; empty without TLS"),
    ]
    peer: Annotated[
        str | None, Meta(description="the other load generator that drove it, and its version; null for hopcost's own")
    ]
    peer_figures: Annotated[
        PeerFigures | None,
        Meta(
            description="of another load generator: `latency_ms`, each run's own figures by its own names; `kept` of"
            " `answers`, after which the connection was kept (null if it does not count them)"
        ),
    ]
    beside: Annotated[
        list[BesideFigures],
        Meta(
            description="of slow clients and idle connections, by `kind`: their `number`, `answers` in slices,"
            " `answers_per_s`, `time_ns` (`p50` and `p99`, each with whether it lies among those without an answer),"
            " `errors` and `reopened` connections of whole blocks, and the generator's CPU time for them as a share of"
            " the arm's time; empty without any"
        ),
    ]
    traffic: Annotated[
        Traffic | None,
        Meta(
            description="heads included, without what TLS adds, in slices: `sent_bytes` ÷ requests sent,"
            " `received_bytes` ÷ correct answers; null if the record does not tell"
        ),
    ]
    restarts: Annotated[
        list[RestartRun],
        Meta(description="of an experiment with `restart`, as in blocks.jsonl, one for each block that counts"),
    ]
