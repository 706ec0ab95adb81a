"""A run over sites: what they must have in common, and what is refused."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from mocks.mock_rig import SUITE, plan_of
from mocks.mock_sites import OPENED
from mocks.recorders import RunRecorder

from hopcost.errors import CannotMeasure, UsageError
from hopcost.measure.sites import run
from hopcost.measure.sites.fleet import Arrived, Event, Lost
from hopcost.measure.sites.hosts_file import parse_fleet
from hopcost.measure.sites.messages import Answer, Order, Refused, Watched
from hopcost.plan.cores import GeneratorLimits
from hopcost.plan.options import RunOptions
from hopcost.programs.definition.definition import Installed


class Answers:
    """Sites with an answer for each order, in turn."""

    def __init__(self, **answers: list[Answer | str]) -> None:
        self.answers = answers
        self.events: list[Event] = []

    def submit(self, site: str, order: Order, key: str) -> None:
        answer = self.answers[site].pop(0)
        self.events.append(
            Lost(site, key, answer, site_is_gone=True) if isinstance(answer, str) else Arrived(site, key, answer)
        )

    def next_event(self, wait_s: float) -> Event | None:
        return self.events.pop(0) if self.events else None

    def revive(self, site: str) -> None:
        raise AssertionError(site)


FLEET = parse_fleet('[hosts.a]\n[hosts.b]\n[[sites]]\nstack = "a"\n[[sites]]\nstack = "b"\n', "f", Path("/"))


def test_a_site_that_cannot_open_ends_it_with_its_words_and_hint() -> None:
    sites = Answers(a=[OPENED], b=[Refused("nginx cannot be built", "apt-get install it", 3)])
    with pytest.raises(CannotMeasure, match="b: nginx cannot be built") as told:
        run.open_sites(sites, FLEET, SUITE)
    assert told.value.hint == "apt-get install it"


def test_the_plan_has_what_every_site_has() -> None:
    other = msgspec.structs.replace(OPENED, allowed_cores=[1, 2], open_files=500)
    limits = run.limits_of({"a": OPENED, "b": other})
    assert (limits.allowed_cores, limits.open_files, limits.generator) == ([1], 500, None)
    with pytest.raises(CannotMeasure, match="no core number in common"):
        run.limits_of({"a": OPENED, "b": msgspec.structs.replace(OPENED, allowed_cores=[7])})


def test_generators_of_several_sites_have_one_name_in_the_plan() -> None:
    first = msgspec.structs.replace(OPENED, generator=GeneratorLimits("g1", [0, 1]))
    second = msgspec.structs.replace(OPENED, generator=GeneratorLimits("g2", [1]))
    assert run.limits_of({"a": first}).generator == GeneratorLimits("g1", [0, 1])
    assert run.limits_of({"a": first, "b": second}).generator == GeneratorLimits("generators", [1])


def test_sites_that_are_not_alike_are_refused_without_mixed(tmp_path: Path) -> None:
    other = msgspec.structs.replace(OPENED, digests={"hopcost-engine": "x"})
    with pytest.raises(CannotMeasure, match="binary of hopcost-engine") as told:
        run.measure_on(Answers(), {"a": OPENED, "b": other}, SUITE, [], RunOptions(), RunRecorder())
    assert "--mixed" in str(told.value.hint)


def test_fewer_connections_than_generators_of_a_site_are_refused() -> None:
    machines = [{"name": f"g{number}"} for number in range(1000)]
    installed, environment = {"origin": Installed("/origin", "1")}, {"generator_machines": machines}
    many = msgspec.structs.replace(OPENED, installed=installed, environment=environment, open_files=20_000)
    with pytest.raises(UsageError, match=r"has fewer connections \(\d+\) than generators \(1000\)"):
        run.measure_on(Answers(), {"a": many, "b": many}, SUITE, [], RunOptions(seed=1), RunRecorder())


def test_the_busiest_site_is_waited_for() -> None:
    busy, quiet = Watched(0.5, "rustc (pid 7) takes 50 %"), Watched(0.0, "")
    sites, watcher = Answers(a=[quiet, quiet], b=[busy, quiet]), RunRecorder()
    run.wait_for_quiet(sites, ["a", "b"], plan_of(True), watcher)
    assert any("b: rustc (pid 7) takes 50 %" in line for line in watcher.watcher.seen)


def test_sites_with_and_without_a_generator_are_not_mixed() -> None:
    text = '[hosts.a]\n[hosts.b]\n[hosts.g]\n[[sites]]\nstack = "a"\ngenerators = ["g"]\n[[sites]]\nstack = "b"\n'
    with pytest.raises(UsageError, match="a has one generator's machine, b no generator's machine"):
        run.refuse_unlike_sites(parse_fleet(text, "f", Path("/")))
