"""What arms ask of their surroundings: what cannot be had here, and what a full link says."""

from __future__ import annotations

import os

import pytest

from hopcost.record.contents.evidence import NetworkKind, Surroundings
from hopcost.stacks import surroundings
from hopcost.stacks.sandbox import usage
from hopcost.stacks.sandbox.network import HOST, Network
from hopcost.stacks.sandbox.ports import FIRST_PORT_OF_A_NAMESPACE, NamespacePorts
from hopcost.stacks.surroundings import SurroundingsRequest
from hopcost.suites.arms.arm import Arm, Hop, Link
from hopcost.suites.experiments.experiment import Experiment, Placement

OWN = Network(own=True)


@pytest.mark.parametrize(
    ("wishes", "found", "words"),
    [
        (SurroundingsRequest(), HOST, None),
        (SurroundingsRequest(sysctls={"vm.swappiness": 1}, open_files=7), HOST, None),  # said, not refused
        (
            SurroundingsRequest(sysctls={"net.core.somaxconn": 1}),
            HOST,
            "net.core.somaxconn: only in a network namespace",
        ),
        (SurroundingsRequest(link_mbit_per_s=9), HOST, "a link of 9 Mbit/s: only in a network namespace"),
        (SurroundingsRequest(sysctls={"net.core.somaxconn": 1}), OWN, None),
    ],
)
def test_which_arms_cannot_run_here(wishes: SurroundingsRequest, found: Network, words: str | None) -> None:
    refused = surroundings.why_refused(wishes, found)
    assert (refused is None) == (words is None)
    assert words is None or (refused is not None and words in refused[0])


def test_a_link_without_its_tools_names_the_package() -> None:
    refused = surroundings.why_refused(SurroundingsRequest(link_mbit_per_s=9), OWN, find_tool=lambda name: None)
    assert refused == ("a link with a rate: ip and tc not installed", "apt-get install iproute2 (as root)")


@pytest.mark.parametrize(
    ("received", "answers", "is_full"),
    [
        # Full packets: 100 Mbit/s are 12.5 MB, of which answers are 1448 bytes of 1538.
        (10_000_000, 100, False),
        (10_700_000, 100, True),
        (0, 0, False),
        # Answers of 153 bytes: 243 with their packet's head, so 51,440 fill it.
        (40_000 * 153, 40_000, False),
        (50_000 * 153, 50_000, True),
    ],
)
def test_a_link_that_the_answers_fill_is_told(received: int, answers: int, is_full: bool) -> None:
    given = Surroundings(network=NetworkKind.OWN, open_files=1, link_mbit_per_s=100)
    notes = surroundings.with_link_load(given, received, 10**9, answers=answers).notes
    assert any("is full" in note for note in notes) is is_full
    without = Surroundings(network=NetworkKind.OWN, open_files=1)
    assert surroundings.with_link_load(without, 10**12, 10**9, answers=1).notes == []


def test_memory_of_a_process_that_is_gone_is_unknown_not_less() -> None:
    own = usage.memory([os.getpid()])
    assert own.peak_bytes is not None and own.peak_bytes > 1_000_000
    assert usage.memory([os.getpid(), 2**22 + 1]).peak_bytes is None
    assert usage.memory([]).peak_bytes is None


def test_an_arms_own_surroundings_win_over_the_experiments() -> None:
    arm = Arm(hops=[Hop(program="origin", link=Link.HTTP_TCP)], sysctls={"net.a": 1}, open_files=5)
    experiment = Experiment(
        name="e", question="?", baseline="a", arms=["a"], placement=Placement.ALL_CORES,
        sysctls={"net.a": 2, "net.b": 3}, open_files=9, link_mbit_per_s=10,
    )  # fmt: skip
    merged = experiment.surrounded(arm)
    assert (merged.sysctls, merged.open_files, merged.link_mbit_per_s) == ({"net.a": 1, "net.b": 3}, 5, 10)


def test_ports_of_a_new_namespace_are_known_before_there_is_one() -> None:
    assert NamespacePorts().take() == FIRST_PORT_OF_A_NAMESPACE
