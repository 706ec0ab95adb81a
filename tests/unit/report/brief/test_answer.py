"""The sentence that an experiment answers with: what it says of every outcome, and that it never says more."""

from __future__ import annotations

import msgspec
import pytest
from samples.blocks import block, part, plain_block, slice_of, sound_block
from samples.comparisons import RATE_PER_S, arm, six_blocks, summary, void_load
from samples.records import plan_of, record

from hopcost.plan.plan import Plan
from hopcost.record.contents.block import ArmBlock, Block
from hopcost.record.contents.run import Record
from hopcost.report.brief import answer
from hopcost.report.brief.answer import sentence
from hopcost.report.brief.load import FULL_LOAD, Load, load_shown
from hopcost.statistics.intervals import Interval
from hopcost.statistics.summary.summary import summarise
from hopcost.suites.arms.arm import Link

LINKS = {"tcp": Link.HTTP_TCP, "unix": Link.HTTP_UNIX, "fastcgi": Link.FASTCGI_TCP}  # from the proxy to the app


def answer_of(content: Record) -> str:
    (experiment,) = summarise(content)
    return sentence(experiment)


def steady(behind: int, blocks: int = 6) -> list[Block]:
    """Alike but for a thousandth, so that ranges are narrow."""
    return [plain_block(number, 100_000, 100_000, behind + behind * (number % 2) // 1000) for number in range(blocks)]


def test_slower() -> None:
    assert answer_of(record(*steady(39_000))).startswith("proxy leaves the app 39 % of its throughput.")


def test_faster() -> None:
    assert answer_of(record(*steady(150_000))) == "behind is faster than the app: 150 % of its throughput."


def test_the_same_within_the_margin() -> None:
    blocks = [plain_block(number, 100_000, 100_000, 99_950 + 100 * (number % 2)) for number in range(12)]
    assert answer_of(record(*blocks)).startswith("proxy changes nothing: 100")


def test_not_settled() -> None:
    blocks = [
        plain_block(number, 1000, 1000, behind) for number, behind in enumerate((700, 1500, 900, 1300, 800, 1200))
    ]
    words = answer_of(record(*blocks))
    assert words.startswith("As measured behind gives 103 % of") and words.endswith("; nothing is settled (?).")


def test_one_start_is_as_measured() -> None:
    assert answer_of(record(plain_block(0))) == (
        "As measured proxy leaves the app 40 % of its throughput; no verdict (?)."
    )


def test_a_cost_beside_another_stack_than_the_baseline_is_not_said_as_if_it_were() -> None:
    plan = plan_of(quick=False)
    (experiment,) = plan.experiments
    swapped = msgspec.structs.replace(experiment, baseline="beside")
    content = record(
        *(dear_proxy(number) for number in range(6)), plan=msgspec.structs.replace(plan, experiments=[swapped])
    )
    assert "adds" not in answer_of(content)


def test_no_block() -> None:
    assert answer_of(record()) == "No result: all 6 blocks are done."


def dear_proxy(number: int) -> Block:
    """A block in which the stack with the proxy takes twice the CPU time per request, at 5000/s as at full load."""
    start = sound_block(number)
    (behind,) = [part for part in start.arms if part.name == "behind"]
    for piece in [*behind.slices, *behind.open_loop[0].slices]:
        piece.cpu_ns = {hop: 2 * ns + number * 1000 for hop, ns in piece.cpu_ns.items() if ns is not None}
    return start


def test_the_hop_cost_comes_first_with_its_load() -> None:
    words = answer_of(record(*(dear_proxy(number) for number in range(6)), plan=plan_of(quick=False)))
    assert words.startswith("At 5,000 requests/s proxy adds 25")
    assert "µs of CPU to a request. " in words


def test_a_hop_that_costs_nothing_measurable_adds_nothing() -> None:
    words = answer_of(record(*(sound_block(number) for number in range(6)), plan=plan_of(quick=False)))
    assert words.startswith("At 5,000 requests/s no CPU cost of proxy can be told from none: 0.0 µs")


def test_beside_a_cost_a_throughput_without_any_verdict_is_in_the_table_alone() -> None:
    """So that the rows have room which the sentence is about."""
    plan = plan_of(quick=False)
    (experiment,) = plan.experiments
    stacks = [msgspec.structs.replace(planned, copy_of=None) for planned in experiment.arms]
    plan = msgspec.structs.replace(plan, experiments=[msgspec.structs.replace(experiment, arms=stacks)])
    words = sentence(summary([dear_proxy(0)], plan))
    assert words.startswith("At 5,000 requests/s ") and words.endswith(". At full load: no verdict on any (?).")


def test_the_hop_cost_of_a_load_that_counts_in_one_start_is_not_the_answer() -> None:
    blocks = six_blocks(0.5, 0.0005)
    assert load_shown(summary(blocks)).per_s == RATE_PER_S
    blocks[1:] = [void_load(start, 0.06) for start in blocks[1:]]
    assert load_shown(summary(blocks)) == FULL_LOAD
    assert "requests/s" not in sentence(summary(blocks))


def test_the_hop_cost_of_a_load_that_a_stack_cannot_carry_is_not_the_answer() -> None:
    blocks = six_blocks(0.5, 0.0005)
    for start in blocks:
        (behind,) = [arm for arm in start.arms if arm.name == "behind"]
        load = behind.open_loop[0]
        load.slices = [msgspec.structs.replace(piece, answers=piece.answers * 9 // 10) for piece in load.slices]
    words = sentence(summary(blocks))
    assert "adds" not in words and "requests/s" not in words


def test_a_stack_that_is_not_steady_has_no_size() -> None:
    def falling(number: int) -> Block:
        slices = [slice_of("behind", 400, cpu_ns={"proxy": 1000 * ms, "app": 1000 * ms}) for ms in (900, 700, 500)]
        for round_number, piece in enumerate(slices):
            piece.round = round_number
            piece.answers += number
        others = [part(*(slice_of(name, 1000 + number) for _ in range(3))) for name in ("direct", "direct-aa")]
        return block(number, others[0], part(*slices), others[1])

    content = record(*(falling(number) for number in range(6)))
    assert answer_of(content) == "No stack has a throughput that can be compared."


def ending(words: str) -> Plan:
    """All stacks' titles end so."""
    plan = plan_of()
    (experiment,) = plan.experiments
    arms = [
        msgspec.structs.replace(arm, arm=msgspec.structs.replace(arm.arm, title=arm.arm.title + words))
        for arm in experiment.arms
    ]
    return msgspec.structs.replace(plan, experiments=[msgspec.structs.replace(experiment, arms=arms)])


def test_a_baseline_of_a_longer_title_is_called_by_its_name() -> None:
    assert "leaves direct 39 %" in answer_of(record(*steady(39_000), plan=ending(", gzip, no log (as asked)")))


@pytest.mark.parametrize("sign", ["\x1b[2J", "\r"])
def test_control_characters_do_not_reach_the_terminal(sign: str) -> None:
    assert sign not in answer_of(record(*steady(39_000), plan=ending(sign + " alone")))


def linked(link: str, answers: int, cpu_ms: float) -> ArmBlock:
    """The part of the stack that reaches the app over this link."""
    behind = arm("behind", answers, cpu_ms)
    slices = [msgspec.structs.replace(piece, arm=link) for piece in behind.slices]
    return msgspec.structs.replace(behind, name=link, slices=slices)


def three_links(over_tcp: float, scatter: float = 0.0) -> Record:
    """Behind a proxy this share over TCP (more or less), 51 % over a Unix socket, 20 % over FastCGI."""
    plan = plan_of()
    (experiment,) = plan.experiments
    behind = next(planned for planned in experiment.arms if planned.name == "behind")
    proxy, app = behind.arm.hops
    stacks = [
        msgspec.structs.replace(
            behind,
            name=name,
            arm=msgspec.structs.replace(behind.arm, hops=[proxy, msgspec.structs.replace(app, link=link)]),
        )
        for name, link in LINKS.items()
    ]
    others = [planned for planned in experiment.arms if planned.name in ("direct", "direct-aa")]
    experiment = msgspec.structs.replace(experiment, arms=[*others, *stacks])
    blocks = []
    for number in range(6):
        blocks.append(
            block(
                number,
                arm("direct", 10_000, 100),
                linked("tcp", round(10_000 * (over_tcp + scatter * (-1) ** number)) + number, 220),
                linked("unix", 5100 - number, 220),
                linked("fastcgi", 2000 + number, 220),
                arm("direct-aa", 10_000, 100),
            )
        )
    return record(*blocks, plan=msgspec.structs.replace(plan, experiments=[experiment]))


def test_the_best_is_named_alone_only_if_no_range_overlaps_its_own() -> None:
    assert "of its throughput at best (HTTP over a Unix socket), 20 % at worst (FastCGI over TCP)." in answer_of(
        three_links(0.4)
    )
    assert "at best (HTTP over a Unix socket or TCP), 20 % at worst (FastCGI over TCP)." in answer_of(
        three_links(0.508)
    )


def test_one_that_may_be_the_best_and_the_worst_is_in_no_list() -> None:
    assert "51 % of its throughput (HTTP over a Unix socket) to 20 % (FastCGI over TCP)." in answer_of(
        three_links(0.35, scatter=0.2)
    )


def with_costs(monkeypatch: pytest.MonkeyPatch, tcp: Interval, unix: Interval, fastcgi: Interval) -> str:
    """The answer of three links if their proxies cost so much at an offered load."""
    (experiment,) = summarise(three_links(0.4))
    cpu_ns = {"tcp": tcp, "unix": unix, "fastcgi": fastcgi}
    costs = {cost.arm: msgspec.structs.replace(cost, cpu_ns=cpu_ns[cost.arm]) for cost in experiment.hop_costs}
    monkeypatch.setattr(answer, "load_shown", lambda _: Load(0.25, 5000.0))
    monkeypatch.setattr(answer, "cost_of", lambda _experiment, arm, _load: costs[arm.name])
    return sentence(experiment)


def test_a_cost_that_may_be_nothing_stands_with_its_range(monkeypatch: pytest.MonkeyPatch) -> None:
    low, open_ = Interval(-1000.0, -5000.0, 3000.0), Interval(25_000.0, -4000.0, 55_000.0)
    high = Interval(90_000.0, 80_000.0, 99_000.0)
    words = with_costs(monkeypatch, tcp=low, unix=high, fastcgi=high)
    assert "proxy adds −1 µs (−5 to +3) of CPU to a request at best (HTTP over TCP), 90 µs at worst" in words
    words = with_costs(monkeypatch, tcp=low, unix=open_, fastcgi=open_)
    assert "adds −1 µs (−5 to +3) of CPU to a request (HTTP over TCP) to 25 µs (−4 to +55) (" in words


def test_the_best_in_throughput_is_named_unless_it_is_the_best_in_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    low, high = Interval(10_000.0, 9000.0, 11_000.0), Interval(90_000.0, 80_000.0, 99_000.0)
    alike = with_costs(monkeypatch, tcp=Interval(20_000.0, 19_000.0, 21_000.0), unix=low, fastcgi=high)
    assert "At full load it leaves the app 51 % of its throughput at best, 20 % at worst." in alike
    other = with_costs(monkeypatch, tcp=low, unix=Interval(20_000.0, 19_000.0, 21_000.0), fastcgi=high)
    assert "At full load proxy leaves the app 51 % of its throughput at best (HTTP over a Unix socket), 20 %" in other
