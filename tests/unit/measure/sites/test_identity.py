"""Sites are alike if all that makes a stack read otherwise is."""

from __future__ import annotations

from typing import Any

import msgspec
from mocks.mock_sites import OPENED

from hopcost.measure.sites.identity import differences, signs_of
from hopcost.measure.sites.messages import Opened
from hopcost.programs.definition.definition import Installed

ENVIRONMENT: dict[str, object] = {
    "kernel": "6.18",
    "cpu": "EPYC",
    "microcode": "0x1",
    "mitigations": {"meltdown": "Not affected"},
    "freezer": "cgroup2",
    "memory_bytes": 8 << 30,
    "host": "a",
    "machine": "one",
    "generator_machines": [{"name": "g1", "kernel": "6.18", "engine_sha256": "ab"}],
}
SITE = msgspec.structs.replace(
    OPENED, environment=ENVIRONMENT, installed={"nginx": Installed("/x", "1.22")}, digests={"hopcost-engine": "ab"}
)


def other(**changes: Any) -> Opened:
    environment = ENVIRONMENT | {key: value for key, value in changes.items() if key in ENVIRONMENT}
    rest = {key: value for key, value in changes.items() if key not in ENVIRONMENT}
    return msgspec.structs.replace(SITE, environment=environment, **rest)


def test_names_and_a_few_megabytes_make_no_difference() -> None:
    assert differences({"a": SITE, "b": other(host="b", machine="two", memory_bytes=(8 << 30) - (4 << 20))}) == []


def test_what_differs_is_named_with_both_values() -> None:
    assert differences({"a": SITE, "b": other(kernel="6.19")}) == ["kernel: a has 6.18, b 6.19"]
    assert differences({"a": SITE, "b": other(microcode=None)}) == ["microcode: a has 0x1, b nothing"]
    (line,) = differences({"a": SITE, "b": other(mitigations={"meltdown": "Mitigation: PTI"})})
    assert line == "mitigations: meltdown: a has Not affected, b Mitigation: PTI"


def test_versions_binaries_cores_and_the_generator_count() -> None:
    sites = {
        "a": SITE,
        "b": other(installed={"nginx": Installed("/x", "1.24")}),
        "c": other(digests={"hopcost-engine": "cd"}),
        "d": other(allowed_cores=[0]),
        "e": other(generator_machines=[{"name": "g2", "kernel": "6.19", "engine_sha256": "ab"}]),
    }
    assert differences(sites) == [
        "binary of hopcost-engine: a has ab, c cd",
        "cores allowed: a has [0, 1], d [0]",
        "generator 1's kernel: a has 6.18, e 6.19",
        "version of nginx: a has 1.22, b 1.24",
    ]


def test_a_generators_name_is_no_sign() -> None:
    signs = signs_of(SITE)
    assert "generator 1's kernel" in signs and "generator 1's name" not in signs


def test_the_second_generator_counts_too() -> None:
    two = [{"name": name, "kernel": "6.18", "engine_sha256": "ab"} for name in ("g2", "g3")]
    assert "generator 2's kernel: a has nothing, b 6.18" in differences({"a": SITE, "b": other(generator_machines=two)})
