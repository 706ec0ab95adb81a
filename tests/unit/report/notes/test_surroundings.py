"""What all arms have is said once; what differs, with those whom it holds for."""

from __future__ import annotations

import pytest
from samples.records import record
from samples.sweeps import at, notes_of, plan_with, point

from hopcost.record.contents.evidence import NetworkKind, Surroundings


def surrounded(
    *values: int, sysctls: dict[tuple[int, str], dict[str, str]], links: dict[int, int] | None = None
) -> list[str]:
    """The lines of a sweep over these values whose arms were given this."""
    plan = plan_with(*map(point, values))
    blocks = [at(value, 400) for value in values]
    for value, block in zip(values, blocks, strict=True):
        for arm in block.arms:
            seen = (links or {}).get(value)
            arm.surroundings = Surroundings(
                network=NetworkKind.OWN,
                open_files=1,
                sysctls=sysctls.get((value, arm.copy_of or arm.name), {}),
                link_mbit_per_s=None if seen is None else 1000,
                link_bits_per_s=seen,
            )
    lines = notes_of(record(*blocks, plan=plan))
    return [line for line in lines if "read back" in line or "Mbit/s" in line]


def test_what_all_have_is_said_once_and_what_differs_with_whom_it_holds_for() -> None:
    both = {"net.ipv4.tcp_tw_reuse": "0", "net.ipv4.ip_local_port_range": "8192 65535"}
    given = {
        (value, arm): both | {"net.core.somaxconn": str(value)} for value in (10, 1000) for arm in ("direct", "behind")
    }
    assert surrounded(10, 1000, sysctls=given) == [
        "every stack: read back: net.ipv4.tcp_tw_reuse = 0, net.ipv4.ip_local_port_range = 8192 65535",
        "at 10: every stack: read back: net.core.somaxconn = 10",
        "at 1000: every stack: read back: net.core.somaxconn = 1000",
    ]


@pytest.mark.parametrize(
    ("holders", "who"),
    [
        ([(10, "behind"), (1000, "behind")], "behind"),
        ([(10, "direct"), (10, "behind"), (1000, "behind")], "at 10: every stack; at 1000: behind"),
        ([(1000, "direct")], "at 1000: direct"),
    ],
)
def test_who_has_it(holders: list[tuple[int, str]], who: str) -> None:
    given = {key: {"net.core.somaxconn": "5"} for key in holders}
    assert surrounded(10, 1000, sysctls=given) == [f"{who}: read back: net.core.somaxconn = 5"]


def test_a_link_says_between_what_the_transfers_of_all_values_lay() -> None:
    assert surrounded(10, 1000, sysctls={}, links={10: 938_000_000, 1000: 941_000_000}) == [
        "every stack: a link of 1000 Mbit/s; a plain transfer before load came to 938–941 Mbit/s"
    ]
