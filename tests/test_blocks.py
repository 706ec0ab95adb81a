"""The measuring loop with a mock engine and mock stacks: exactly what ran, in which order, and what was recorded."""

from __future__ import annotations

import base64
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
from hdrh.histogram import HdrHistogram

from hopcost import block, blocks, check, conditions, engine, loading, open_loop, plan, record, suite
from hopcost.errors import ArmFailed, MeasurementFailed
from hopcost.network import Surroundings
from hopcost.precision import Forecast
from hopcost.prepared import Address
from hopcost.program import Installed
from hopcost.sandbox import Freezer, Ports
from hopcost.usage import Memory, TimeWait

SUITE = suite.Suite(
    name="mock",
    title="Mock",
    arms={name: suite.Arm(hops=[suite.Hop(program="origin", link=suite.Link.HTTP_TCP)]) for name in ("slow", "base")},
    experiments=[
        suite.Experiment(
            name="one", question="?", baseline="base", arms=["slow", "base"], placement=suite.Placement.ONE_CORE
        )
    ],
)
EMPTY = HdrHistogram(1, 3_600_000_000_000, 3).encode().decode()


class World:
    """Mock stacks, checks and engine; `log` holds what was done to them, in order."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.answers = {"base": 100, "base-aa": 100, "slow": 50}
        self.bodies: dict[str, bytes] = {}
        self.fails_at_start: set[str] = set()
        self.dies_under_load: set[str] = set()
        self.replaces_a_worker: set[str] = set()
        self.without_receipt: set[str] = set()
        self.stack_cpu_ns = 0
        self.busy_ns = iter(lambda: 0, None)
        self.engine_faults: list[Exception] = []
        self.plans: list[engine.Plan] = []

    def conditions(self) -> conditions.Conditions:
        return conditions.Conditions(
            monotonic_ns=time.monotonic_ns(), steal_ns=0, throttled_ns=None, swapped_pages=0, wall_ahead_ns=0
        )

    def stack(self, name: str, *_: object, **__: object) -> object:
        self.log.append(f"start {name}")
        if name in self.fails_at_start:
            raise ArmFailed(name, "it would not start")
        address = Address(link="http+tcp", address=f"{name}:80")
        hops = [SimpleNamespace(name="origin", files={}, command=["x"])]
        world = self

        class Stack:
            arm = name
            prepared = SimpleNamespace(
                arm=name, hops=hops, address=address, cores=SimpleNamespace(stack=[0], generator=[1])
            )
            freeze = {"signal": [1]}  # noqa: RUF012
            network_namespace = None
            surroundings = Surroundings(network="host", open_files=1)

            @property
            def processes(self) -> dict[str, list[int]]:
                replaced = name in world.replaces_a_worker and world.log[-1].startswith("load")
                return {"origin": [1, 3 if replaced else 2]}

            def as_client(self) -> AbstractContextManager[None]:
                return nullcontext()

            def account_of(self, hop: str) -> str | None:
                return None

            def memory(self) -> dict[str, Memory]:
                return {}

            def time_wait(self) -> list[TimeWait]:
                return [TimeWait(hop="origin", server=0, client=len(world.log))]

            def __enter__(self) -> Stack:
                return self

            def __exit__(self, *_: object) -> None:
                world.log.append(f"stop {name}")

            def cpu_ns(self) -> int:
                return world.stack_cpu_ns

            def failure(self) -> str | None:
                return "origin ended by signal 11" if name in world.dies_under_load else None

        return Stack()

    def ask(self, arm: str, *_: object) -> check.Answer:
        self.log.append(f"check {arm}")
        return check.Answer(status=200, head="", header_bytes=141, body=self.bodies.get(arm, b"hello"))

    def engine_run(self, load: engine.Plan) -> Iterator[engine.Line]:
        self.plans.append(load)
        self.log.append("load " + " ".join(arm.name for arm in load.arms))
        if self.engine_faults:
            raise self.engine_faults.pop(0)
        yield engine.Start(version="0", io="epoll", batch=1, cores=[1], compared_one_in=16)
        for arm in load.arms:
            yield engine.WarmedUp(arm=arm.name, elapsed_ns=1, plateau=True, answers=[1], errors={})
        for number in range(load.rounds):
            for place, arm in enumerate(load.arms):
                yield engine.Slice(
                    arm=arm.name, round=number, place=place, start_ns=0, elapsed_ns=1000, freeze_ns=1, frozen_ns=None,
                    answers=self.answers[arm.name], sent=self.answers[arm.name], errors={}, reconnects=0,
                    received_bytes=0, cpu_ns={"origin": 1000}, cpu_outside_ns={"origin": 0},
                    generator_cpu_ns=10, due=self.answers[arm.name], not_sent=0, late=0, spin_ns=0,
                )  # fmt: skip
        for arm in load.arms:
            yield engine.ArmTotals(
                arm=arm.name, sent=1, answers=1, compared=1, in_flight=0, established=1, reconnects=0, errors={},
                service_time=EMPTY, unanswered=EMPTY,
            )  # fmt: skip
        yield engine.End(elapsed_ns=10**9, generator_cpu_ns=1, validity="valid", reasons=[])


class Observer:
    """Whose receipts hold, but for the arms that the world denies them."""

    def __init__(self, world: World, arm: str) -> None:
        self.denied = arm in world.without_receipt

    def receipts(self, *_: object) -> list[record.Receipt]:
        return [record.Receipt("origin", "gzip", True, "answers have no Content-Encoding", not self.denied)]


class Recorder:
    """A watcher that only remembers."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.deadlines: dict[str, float] = {}

    def experiment_begins(self, experiment: plan.PlannedExperiment, blocks: int, deadline: float) -> None:
        self.deadlines[experiment.name] = deadline
        self.seen.append(f"experiment {experiment.name} {blocks}")

    def forecast(self, forecast: Forecast) -> None:
        self.seen.append(f"forecast {forecast.blocks} blocks")

    def block_begins(self, number: int) -> None:
        self.seen.append(f"block {number}")

    def arm_runs(self, arm: str, doing: str) -> None:
        if not self.seen or self.seen[-1] != f"{doing} {arm}":
            self.seen.append(f"{doing} {arm}")

    def block_ends(self, done: record.Block) -> None:
        self.seen.append(f"end {done.number} {done.validity}")


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    world = World()
    monkeypatch.setattr(block, "RunningStack", world.stack)
    monkeypatch.setattr(loading.machine, "busy_ns", lambda _: next(world.busy_ns))
    monkeypatch.setattr(conditions, "now", lambda _: world.conditions())
    monkeypatch.setattr(open_loop, "longest_stall_ns", lambda _: 1000)
    monkeypatch.setattr(block.check, "ask", world.ask)
    monkeypatch.setattr(block.engine, "run", world.engine_run)
    monkeypatch.setattr(loading.receipts, "Observer", lambda stack: Observer(world, stack.arm))
    return world


def plan_of(quick: bool, budget_s: float = 1000.0) -> plan.Plan:
    return plan.make(
        SUITE, [], quick=quick, budget_s=budget_s, seed=1, installed={"origin": Installed(path="/x", version="1")},
        allowed_cores=[0, 1], siblings={}, open_files=1000,
    )  # fmt: skip


def measure(tmp_path: Path, quick: bool = True, budget_s: float = 1000.0) -> tuple[bool, record.Record, Recorder]:
    """Run the loop over the mock suite; whether all went well, the record as read again, and what was watched."""
    planned = plan_of(quick, budget_s)
    watcher = Recorder()
    with record.Writer(tmp_path / "record", SUITE, planned, {}, ["hopcost"]) as writer:
        well = blocks.measure(planned, Freezer(kind="signal", parent=None), writer, watcher)
    return well, record.read(tmp_path / "record"), watcher


def test_a_block_starts_checks_loads_and_stops_every_arm_with_the_baseline_first(world: World, tmp_path: Path) -> None:
    measure(tmp_path)
    one_block = [
        "start base", "check base", "start slow", "check slow", "start base-aa", "check base-aa",
        "load base slow base-aa",
        "stop base-aa", "stop slow", "stop base",
    ]  # fmt: skip
    assert world.log == one_block * 6


def test_each_block_has_its_own_recorded_seed_and_the_baselines_answer_is_expected_of_all(
    world: World, tmp_path: Path
) -> None:
    _, read, _ = measure(tmp_path)
    assert [each.seed for each in read.blocks] == [load.seed for load in world.plans]
    assert len({load.seed for load in world.plans}) == 6
    bodies = {base64.b64decode(arm.expect.body_base64) for load in world.plans for arm in load.arms}
    assert bodies == {b"hello"}


def test_after_the_closed_loop_the_same_stacks_are_offered_the_same_loads(world: World, tmp_path: Path) -> None:
    _, read, _ = measure(tmp_path, quick=False)
    assert world.log[:12] == [
        "start base", "check base", "start slow", "check slow", "start base-aa", "check base-aa",
        "load base slow base-aa", "load base slow base-aa", "load base slow base-aa",
        "stop base-aa", "stop slow", "stop base",
    ]  # fmt: skip
    closed, quarter, half = world.plans[:3]
    assert {arm.arrivals is None for arm in closed.arms} == {True}
    assert [load.slice_jitter for load in (closed, quarter, half)] == [0.5, 0.0, 0.0]
    slowest = 50 / 1000e-9  # answers of a slice of 1000 ns
    for load, share in ((quarter, 0.25), (half, 0.5)):
        rates = [(arm.arrivals or {})["poisson"].rate_per_s for arm in load.arms]
        assert rates == [pytest.approx(slowest * share, rel=0.05)] * 3
        assert (load.slice_ns, load.rounds) == (10**9, 2), "no more than the closed loop had"
        assert load.cores == closed.cores
    assert len({closed.seed, quarter.seed, half.seed}) == 3
    first = read.blocks[0]
    assert [[load.share for load in arm.open_loop] for arm in first.arms] == [[0.25, 0.5]] * 3
    assert len(first.open_ends) == 2
    assert first.longest_stall_ns == 1000
    assert first.slices_elapsed_ns == sum(each.elapsed_ns for arm in first.arms for each in arm.slices)


def test_an_arm_that_died_in_the_closed_loop_is_offered_nothing(world: World, tmp_path: Path) -> None:
    SUITE.arms["third"] = SUITE.arms["slow"]
    SUITE.experiments[0].arms.append("third")
    world.answers["third"] = 70
    world.dies_under_load.add("slow")
    try:
        _, read, _ = measure(tmp_path, quick=False)
    finally:
        del SUITE.arms["third"]
        SUITE.experiments[0].arms.remove("third")
    assert world.log[8:12] == ["load base slow third base-aa", *["load base third base-aa"] * 2, "stop base-aa"]
    rates = [(world.plans[1].arms[0].arrivals or {})["poisson"].rate_per_s]
    assert rates == [pytest.approx(70 / 1000e-9 * 0.25, rel=0.05)]
    assert {arm.name: len(arm.open_loop) for arm in read.blocks[0].arms} == {
        "base": 2, "slow": 0, "third": 2, "base-aa": 2,
    }  # fmt: skip


def test_where_not_all_arms_fit_into_a_block_the_slowest_of_all_sets_the_loads(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SUITE.arms, "slower", SUITE.arms["slow"])
    monkeypatch.setattr(SUITE.experiments[0], "arms", ["slow", "base", "slower"])
    monkeypatch.setattr(plan.PlannedExperiment, "groups", [["base", "slow", "base-aa"], ["base", "slower", "base-aa"]])
    world.answers["slower"] = 20
    _, read, _ = measure(tmp_path, quick=False)
    loads = [[load.rate_per_s for load in each.arms[0].open_loop] for each in read.blocks]
    slowest = 20 / 1000e-9
    assert loads == [[], [], *[[pytest.approx(slowest * share) for share in (0.25, 0.5)]] * 10]
    assert [each.longest_stall_ns for each in read.blocks[:3]] == [None, None, 1000]


def test_rates_that_are_given_are_offered(world: World, tmp_path: Path) -> None:
    planned = plan_of(quick=False)
    with record.Writer(tmp_path / "record", SUITE, planned, {}, ["hopcost"]) as writer:
        setting = block.Setting(
            plan=planned,
            experiment=planned.experiments[0],
            freezer=Freezer(kind="signal", parent=None),
            ports=Ports(),
            writer=writer,
            watcher=Recorder(),
        )
        warm_up = engine.WarmUp(least_ns=5, most_ns=7)
        done = block.measure(setting, planned.experiments[0].arms, 0, 3, rates={0.25: 123.0}, warm_up=warm_up)
    assert done.validity == "valid", done.reasons
    assert [load.rate_per_s for load in done.arms[0].open_loop] == [123.0]
    as_planned = engine.WarmUp(least_ns=planned.warm_up_least_ns, most_ns=planned.warm_up_most_ns)
    assert [load.warm_up for load in world.plans] == [warm_up, as_planned], "its stacks are warm by then"


def test_the_watcher_hears_of_every_step(world: World, tmp_path: Path) -> None:
    _, _, watcher = measure(tmp_path)
    assert watcher.seen[:6] == [
        "experiment one 6",
        "block 0",
        "start base",
        "start slow",
        "start base-aa",
        "warm-up base",
    ]
    assert watcher.seen[-1] == "end 5 valid"


def test_quick_does_six_blocks_and_says_so(world: World, tmp_path: Path) -> None:
    well, read, _ = measure(tmp_path)
    assert well
    assert [(ending.why, ending.detail) for ending in read.run.endings] == [("blocks", "all 6 blocks are done")]
    assert read.run.ended_utc is not None


def test_a_full_run_stops_at_the_first_look_that_is_precise_enough(world: World, tmp_path: Path) -> None:
    _, read, _ = measure(tmp_path, quick=False)
    assert len(read.blocks) == 6  # identical blocks: the intervals have no width
    assert read.run.endings[0].why == "precision"


def test_a_full_run_goes_on_where_blocks_differ(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks.compared, "settled", lambda _, done, **__: len(done) >= 10)
    _, read, _ = measure(tmp_path, quick=False)
    assert len(read.blocks) == 10


def test_the_budget_ends_an_experiment_but_not_before_its_first_block(world: World, tmp_path: Path) -> None:
    _, read, _ = measure(tmp_path, budget_s=0.001)
    assert len(read.blocks) == 1
    assert read.run.endings[0].why == "budget"


def test_an_experiment_of_more_weight_gets_more_of_the_time(world: World, tmp_path: Path) -> None:
    SUITE.experiments.append(msgspec.structs.replace(SUITE.experiments[0], name="two", weight=3))
    began = time.monotonic()
    try:
        _, _, watcher = measure(tmp_path, budget_s=4000.0)
    finally:
        SUITE.experiments.pop()
    assert watcher.deadlines["one"] - began == pytest.approx(1000, abs=30)
    assert watcher.deadlines["two"] - began == pytest.approx(4000, abs=30)


def test_an_arm_that_answers_otherwise_leaves_with_a_diff_and_the_others_go_on(world: World, tmp_path: Path) -> None:
    SUITE.arms["third"] = SUITE.arms["slow"]
    SUITE.experiments[0].arms.append("third")
    world.answers["third"] = 70
    world.bodies["slow"] = b"hullo"
    try:
        well, read, _ = measure(tmp_path)
    finally:
        del SUITE.arms["third"]
        SUITE.experiments[0].arms.remove("third")
    assert not well
    assert [failure.arm for each in read.blocks for failure in each.failures] == ["slow"]
    message = read.blocks[0].failures[0].message
    assert "-hello" in message and "+hullo" in message
    assert {arm.name for arm in read.blocks[0].arms} == {"base", "third", "base-aa"}
    assert world.log.count("start slow") == 1
    assert len(read.blocks) == 6


def test_a_baseline_that_fails_ends_the_experiment_with_its_words(world: World, tmp_path: Path) -> None:
    world.fails_at_start.add("base")
    well, read, _ = measure(tmp_path)
    assert not well
    assert world.log == ["start base"]
    assert read.blocks[0].validity == "void"
    assert read.blocks[0].failures[0].message == "it would not start"
    assert (read.run.endings[0].why, read.run.endings[0].detail) == ("failed", "the baseline failed")


def test_a_killed_engine_voids_the_block_visibly_and_it_is_done_again(world: World, tmp_path: Path) -> None:
    world.engine_faults = [MeasurementFailed("the load engine was killed by signal 9")]
    well, read, watcher = measure(tmp_path)
    assert well
    assert [each.validity for each in read.blocks] == ["void", *["valid"] * 6]
    assert read.blocks[0].reasons == ["the load engine was killed by signal 9"]
    assert "end 0 void" in watcher.seen
    assert world.log[:8].count("stop base") == 0 and world.log[9] == "stop base"


def test_too_many_void_blocks_end_the_experiment(world: World, tmp_path: Path) -> None:
    world.engine_faults = [MeasurementFailed("killed") for _ in range(9)]
    well, read, _ = measure(tmp_path)
    assert not well
    assert len(read.blocks) == blocks.VOID_BLOCKS_AT_MOST + 1
    assert read.run.endings[0].why == "failed"


@pytest.mark.parametrize(("busy_ns", "validity"), [(30_000_000, "valid"), (100_000_000, "suspect")])
def test_other_programs_load_makes_a_block_suspect(world: World, tmp_path: Path, busy_ns: int, validity: str) -> None:
    readings = iter([0, busy_ns])  # before and after the first block's load, of 2 s of CPU time on 2 cores
    world.busy_ns = iter(lambda: next(readings, 0), None)
    _, read, _ = measure(tmp_path)
    assert read.blocks[0].validity == validity
    assert len([reason for reason in read.blocks[0].reasons if "other programs" in reason]) == (validity == "suspect")


def test_a_setting_that_leaves_no_receipt_is_its_arms_failure(world: World, tmp_path: Path) -> None:
    world.without_receipt.add("slow")
    well, read, _ = measure(tmp_path)
    assert not well
    failure = read.blocks[0].failures[0]
    assert failure.arm == "slow"
    assert failure.message == "under load: origin: gzip = true, but answers have no Content-Encoding"
    assert [each.holds for arm in read.blocks[0].arms for each in arm.receipts].count(False) == 1
    assert read.blocks[0].validity == "valid"


def test_a_program_that_dies_under_load_is_its_arms_failure_and_keeps_the_block(world: World, tmp_path: Path) -> None:
    world.dies_under_load.add("slow")
    well, read, _ = measure(tmp_path)
    assert not well
    assert read.blocks[0].validity == "valid"
    assert read.blocks[0].failures[0].message == "under load: origin ended by signal 11"


def test_a_worker_that_is_replaced_under_load_is_its_arms_result(world: World, tmp_path: Path) -> None:
    world.replaces_a_worker.add("slow")
    well, read, _ = measure(tmp_path)
    assert well
    assert [each.validity for each in read.blocks] == ["valid"] * 6
    assert {arm.name: arm.restarts for arm in read.blocks[0].arms} == {
        "base": {}, "slow": {"origin": 1}, "base-aa": {},
    }  # fmt: skip


def test_ctrl_c_stops_the_stacks_and_keeps_the_blocks_done(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads = iter(range(10))

    def interrupted(load: engine.Plan) -> Iterator[engine.Line]:
        if next(loads) == 2:
            raise KeyboardInterrupt
        yield from world.engine_run(load)

    monkeypatch.setattr(block.engine, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        measure(tmp_path)
    read = record.read(tmp_path / "record")
    assert len(read.blocks) == 2
    assert read.run.endings[0].why == "interrupted"
    assert read.run.ended_utc is None
    assert world.log[-3:] == ["stop base-aa", "stop slow", "stop base"]
