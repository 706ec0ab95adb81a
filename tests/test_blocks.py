"""The measuring loop with a mock engine and mock stacks: exactly what ran, in which order, and what was recorded."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
from hdrh.histogram import HdrHistogram

from hopcost import block, blocks, check, engine, plan, record, suite
from hopcost.errors import ArmFailed, MeasurementFailed
from hopcost.network import Surroundings
from hopcost.prepared import Address
from hopcost.program import Installed
from hopcost.sandbox import Freezer
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
        self.without_receipt: set[str] = set()
        self.stack_cpu_ns = 0
        self.busy_ns = iter(lambda: 0, None)
        self.engine_faults: list[Exception] = []
        self.plans: list[engine.Plan] = []

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
            processes = {"origin": [1]}  # noqa: RUF012
            freeze = {"signal": [1]}  # noqa: RUF012
            network_namespace = None
            surroundings = Surroundings(network="host", open_files=1)

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
                    generator_cpu_ns=10,
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

    def experiment_begins(self, experiment: plan.PlannedExperiment, blocks: int, deadline: float) -> None:
        self.seen.append(f"experiment {experiment.name} {blocks}")

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
    monkeypatch.setattr(block.machine, "busy_ns", lambda _: next(world.busy_ns))
    monkeypatch.setattr(block.machine, "steal_ns", lambda: 0)
    monkeypatch.setattr(block.check, "ask", world.ask)
    monkeypatch.setattr(block.engine, "run", world.engine_run)
    monkeypatch.setattr(block.receipts, "Observer", lambda stack: Observer(world, stack.arm))
    return world


def measure(tmp_path: Path, quick: bool = True, budget_s: float = 1000.0) -> tuple[bool, record.Record, Recorder]:
    """Run the loop over the mock suite; whether all went well, the record as read again, and what was watched."""
    planned = plan.make(
        SUITE, [], quick=quick, budget_s=budget_s, seed=1, installed={"origin": Installed(path="/x", version="1")},
        allowed_cores=[0, 1], siblings={}, open_files=1000,
    )  # fmt: skip
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
    monkeypatch.setattr(blocks.summary, "widths", lambda _, done, __: [0.5 if len(done) < 10 else 0.005])
    _, read, _ = measure(tmp_path, quick=False)
    assert len(read.blocks) == 10


def test_the_budget_ends_an_experiment_but_not_before_its_first_block(world: World, tmp_path: Path) -> None:
    _, read, _ = measure(tmp_path, budget_s=0.001)
    assert len(read.blocks) == 1
    assert read.run.endings[0].why == "budget"


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
