"""Two records side by side: what differs, what cannot be compared, and what verdicts are read off."""

from __future__ import annotations

import json
import math
from pathlib import Path

import golden
import msgspec
import pytest
from factory import ENVIRONMENT, MS, Record, block, open_load, part, plan_of, record, slice_of
from scipy.special import stdtrit

from hopcost import across, comparable
from hopcost.across import Across, FigureAcross
from hopcost.compared import THROUGHPUT
from hopcost.errors import UsageError
from hopcost.plan import Plan
from hopcost.record import Block
from hopcost.report import Format, across_table

SWAYS = (0.96, 1.0, 1.02, 0.99, 1.03, 1.0)  # of the machine, block by block: in all arms alike
OWN = (0.999, 1.0, 1.001, 1.0, 0.999, 1.001)  # of the arm alone


def made(number: int, machine: float, behind: float, *, open_loop_at: int | None = None) -> Block:
    """A block on a machine this fast, in which the arm behind has this share of the baseline's answers."""
    parts = []
    for arm, share in (("direct", 1.0), ("behind", behind), ("direct-aa", 1.0)):
        answers = round(1_000_000 * machine * share)
        cpu = {hop: round(80 * MS / machine) for hop in (["proxy", "app"] if arm == "behind" else ["app"])}
        parts.append(part(slice_of(arm, answers, elapsed_ns=1000 * MS, cpu_ns=cpu)))
        if open_loop_at is not None:
            parts[-1].open_loop = [open_load(arm, open_loop_at)]
    return block(number, *parts)


def half(
    name: str,
    machine: float = 1.0,
    behind: float = 0.5,
    open_loop_at: int | None = None,
    plan: Plan | None = None,
    **more: object,
) -> Record:
    blocks = [
        made(number, machine * sway, behind * own, open_loop_at=open_loop_at)
        for number, (sway, own) in enumerate(zip(SWAYS, OWN, strict=True))
    ]
    return record(*blocks, plan=plan, path=Path(f"records/{name}"), **more)


def figure(found: Across, arm: str, name: str = THROUGHPUT, load: float | None = None) -> FigureAcross:
    (each,) = found.experiments
    figures = next(one.figures for one in each.arms if one.name == arm)
    return next(one for one in figures if (one.figure, one.load_per_s) == (name, load))


def test_a_slower_machine_is_in_the_absolute_figures_and_not_in_the_ratio_to_the_baseline() -> None:
    found = across.compare(half("a"), half("b", machine=0.7))
    behind, direct = figure(found, "behind"), figure(found, "direct")
    assert behind.ratio is not None and behind.relative is not None and direct.ratio is not None
    assert behind.ratio.value == pytest.approx(0.7, rel=1e-5)
    assert direct.ratio.value == pytest.approx(0.7, rel=1e-5)
    assert behind.relative.value == pytest.approx(1.0, rel=1e-5)
    assert (str(behind.verdict), behind.no_verdict) == ("same", None)
    assert (direct.relative, direct.no_verdict) == (None, across.ONLY_ABSOLUTE)
    assert direct.verdict.word == "unknown"


@pytest.mark.parametrize(("share", "word"), [(0.45, "slower"), (0.56, "faster"), (0.505, "faster, negligible")])
def test_a_change_of_the_arm_alone_is_seen_whatever_the_machine_did(share, word) -> None:
    found = across.compare(half("a"), half("b", machine=1.4, behind=share))
    behind = figure(found, "behind")
    assert behind.relative is not None and behind.relative.value == pytest.approx(share / 0.5, rel=1e-4)
    assert str(behind.verdict) == word


def test_intervals_share_the_error_of_all_that_are_tested() -> None:
    """Throughput and CPU per request of one arm: two intervals; quick runs have one look."""
    a, b = half("a"), half("b")
    found = across.compare(a, b)
    assert found.intervals == 2
    logs = [math.log(own) for own in OWN]  # both samples; a sway of the machine falls out
    mean = sum(logs) / 6
    variance = sum((each - mean) ** 2 for each in logs) / 5
    reach = stdtrit(10, 1 - 0.05 / 2 / 2) * math.sqrt(variance / 6 * 2)  # equal variances: 10 degrees of freedom
    relative = figure(found, "behind").relative
    assert relative is not None and relative.high is not None
    assert math.log(relative.high) == pytest.approx(reach, rel=0.01)


def test_a_full_run_spends_the_error_over_its_looks() -> None:
    full = plan_of(quick=False)
    wide, narrow = (across.compare(half("a", plan=plan), half("b", plan=plan)) for plan in (full, plan_of()))
    assert _width(figure(wide, "behind")) > _width(figure(narrow, "behind"))


def _width(each: FigureAcross) -> float:
    assert each.relative is not None and each.relative.half_width is not None
    return each.relative.half_width


def test_response_times_are_compared_at_equal_loads_and_only_there() -> None:
    full = plan_of(quick=False)
    same = across.compare(half("a", open_loop_at=5000, plan=full), half("b", open_loop_at=5000, plan=full))
    assert figure(same, "behind", "response_p50", 5000).verdict.word == "same"
    assert any(cost.load_per_s == 5000 for cost in same.experiments[0].hop_costs)
    other = across.compare(half("a", open_loop_at=5000, plan=full), half("b", open_loop_at=6000, plan=full))
    assert {one.load_per_s for arm in other.experiments[0].arms for one in arm.figures} == {None}
    assert {cost.load_per_s for cost in other.experiments[0].hop_costs} == {None}
    assert "A 5,000/s; B 6,000/s" in other.experiments[0].notes[-1]


def test_the_hop_cost_is_a_difference_in_nanoseconds() -> None:
    """A request costs direct 80 ns, behind 160 ns per half an answer: 320 ns; a machine of 0.8 makes both dearer."""
    (cost,) = across.compare(half("a"), half("b", machine=0.8)).experiments[0].hop_costs
    assert (cost.arm, cost.without, cost.hop, cost.load_per_s) == ("behind", "direct", "proxy", None)
    assert cost.a_ns == pytest.approx(240, rel=0.01)
    assert cost.b_ns == pytest.approx(240 / 0.8**2, rel=0.01)
    assert cost.difference_ns is not None and cost.difference_ns.value == pytest.approx(cost.b_ns - cost.a_ns)


def test_a_changed_baseline_leaves_no_verdict() -> None:
    environment = ENVIRONMENT | {"programs": {"app": "1", "proxy": "2"}}
    newer = ENVIRONMENT | {"programs": {"app": "1.1", "proxy": "2"}}
    found = across.compare(half("a", environment=environment), half("b", environment=newer))
    behind = figure(found, "behind")
    assert behind.relative is not None
    assert behind.no_verdict == "the baseline direct is not the same in both (version.app: 1 → 1.1)"
    proxy = across.compare(
        half("a", environment=environment),
        half("b", environment=environment | {"programs": {"app": "1", "proxy": "3"}}),
    )
    assert figure(proxy, "behind").no_verdict is None
    assert [each.key for each in proxy.experiments[0].arms[1].differences] == ["version.proxy"]


def test_what_has_no_verdict_in_its_own_record_has_none_here() -> None:
    noisy = half("b")
    noisy.blocks = noisy.blocks[:2]
    assert figure(across.compare(half("a"), noisy), "behind").no_verdict == "B: too few valid blocks: 2, 3 needed"


def test_void_blocks_do_not_count() -> None:
    with_void = half("b")
    with_void.blocks.append(msgspec.structs.replace(made(6, 1.0, 0.01), validity="void"))
    clean, spoilt = (across.compare(half("a"), each) for each in (half("b"), with_void))
    assert figure(clean, "behind") == figure(spoilt, "behind")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"environment": ENVIRONMENT | {"cpu": "Abacus 3"}}, "other CPUs: Abacus 2 and Abacus 3"),
        ({"environment": {}}, "other CPUs: Abacus 2 and an unknown one"),
        ({"plan": plan_of(quick=False)}, "cost: other slices: 0.1 s after 0.1 s and 1 s after 0.3 s"),
        ({"plan": plan_of(allowed_cores=[0, 1, 2, 3])}, None),
        ({"plan": msgspec.structs.replace(plan_of(), suite="another")}, "other suites: made-up and another"),
        ({"plan": msgspec.structs.replace(plan_of(), peer="wrk")}, "other generators: hopcost's engine and wrk"),
    ],
)
def test_what_moves_figures_by_itself_is_refused_unless_told(more, words) -> None:
    a, b = half("a"), half("b", **more)
    if words is None:
        assert comparable.objections(a, b, comparable.common(a, b, [])) == []
        return
    with pytest.raises(UsageError) as caught:
        across.compare(a, b)
    assert words in caught.value.message and "--anyway" in (caught.value.hint or "")
    (objection,) = across.compare(a, b, anyway=True).objections
    assert words in objection


def test_slices_of_another_length_are_an_objection() -> None:
    short, long = (
        half(name, plan=plan_of(quick=False, budget_s=seconds)) for name, seconds in (("a", 60.0), ("b", 1800.0))
    )
    (objection,) = comparable.objections(short, long, comparable.common(short, long, []))
    assert objection.startswith("cost: other slices: 0.65 s after 0.3 s and 1 s after 0.3 s")


def test_another_method_is_refused() -> None:
    b = half("b")
    b.run.method += 1
    with pytest.raises(UsageError, match=f"other methods: {b.run.method - 1} and {b.run.method}"):
        across.compare(half("a"), b)


@pytest.mark.parametrize(
    ("a", "b", "chosen", "words"),
    [
        (half("a"), half("a"), [], "twice the same record"),
        (half("a"), half("b"), ["cots"], "no experiment 'cots' in both records"),
        (half("a"), record(path=Path("records/b")), [], "no arm in common that was measured in both"),
    ],
)
def test_what_cannot_be_compared_at_all(a, b, chosen, words) -> None:
    with pytest.raises(UsageError, match=words):
        across.compare(a, b, chosen, anyway=True)


def test_records_without_a_common_experiment() -> None:
    plan = plan_of()
    renamed = [msgspec.structs.replace(each, name="other") for each in plan.experiments]
    b = half("b", plan=msgspec.structs.replace(plan, experiments=renamed))
    with pytest.raises(UsageError, match="made-up has cost, made-up has other"):
        across.compare(half("a"), b, anyway=True)


def everything() -> tuple[Record, Record]:
    """A slower proxy of a newer version on a machine that became slower too, compared though the CPU is another."""
    environment = ENVIRONMENT | {"programs": {"app": "1", "proxy": "2"}, "load_average_1min": 0.3}
    newer: dict[str, object] = {"cpu": "Abacus 3", "programs": {"app": "1", "proxy": "3"}, "load_average_1min": 1.9}
    plans = [plan_of(quick=False), plan_of(quick=False)]
    (planned,) = plans[1].experiments
    more = msgspec.structs.replace(planned, workload=msgspec.structs.replace(planned.workload, connections=64))
    plans[1] = msgspec.structs.replace(plans[1], experiments=[more])
    a = half("a", open_loop_at=5000, plan=plans[0], environment=environment)
    b = half("b", 0.9, 0.45, open_loop_at=5000, plan=plans[1], environment=ENVIRONMENT | newer)
    b.run.started_utc = "2025-01-03T03:04:05Z"
    return a, b


@pytest.mark.parametrize(("format", "ending"), [(Format.TEXT, "txt"), (Format.MARKDOWN, "md"), (Format.JSON, "json")])
def test_the_page_to_the_last_byte(format, ending) -> None:
    a, b = everything()
    golden.compare(f"compare.{ending}", across_table.render(a, b, across.compare(a, b, anyway=True), format))


def test_all_that_differs_stands_before_any_figure() -> None:
    a, b = everything()
    page = across_table.render(a, b, across.compare(a, b, anyway=True), Format.TEXT)
    before = page.partition("answers/s")[0]
    for words in ("cpu: Abacus 2 → Abacus 3", "programs.proxy: 2 → 3", "cost: workload.connections: 32 → 64"):
        assert words in before
    assert "load_average" not in page
    assert "weaker evidence than one interleaved run" in before and "hopcost gate made-up/cost/behind" in before


@pytest.mark.parametrize(
    ("words", "path"),
    [
        (["run", "made-up", "--quick"], "made-up/cost/behind"),
        (["run", "./own/made-up.toml/cost"], "./own/made-up.toml/cost/behind"),
        (["gate", "--after", "app.config=/x/y/z", "hello/one-core/go"], "hello/one-core/go"),
    ],
)
def test_the_stronger_way_names_the_arm_as_the_command_line_takes_it(words, path) -> None:
    a, b = half("a"), half("b")
    a.run.command = ["hopcost", *words]
    page = across_table.render(a, b, across.compare(a, b), Format.TEXT)
    assert f"the stronger way: hopcost gate {path} --before" in page


def test_the_same_again_says_so() -> None:
    a, b = half("a"), half("b")
    page = across_table.render(a, b, across.compare(a, b), Format.TEXT)
    assert "nothing that the records keep, but the hour" in page


def test_json_is_json() -> None:
    a, b = everything()
    content = json.loads(across_table.render(a, b, across.compare(a, b, anyway=True), Format.JSON))
    assert content["a"]["record"] == "records/a"
    assert content["experiments"][0]["arms"][1]["figures"][0]["verdict"]["word"] == "slower"
