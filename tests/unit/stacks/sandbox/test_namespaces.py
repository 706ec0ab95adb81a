"""The link between two namespaces: how its rate is asked for."""

from __future__ import annotations

from hopcost.stacks.sandbox import namespaces


def test_a_bucket_holds_two_milliseconds_of_the_rate_and_no_less_than_a_few_packets() -> None:
    assert " ".join(namespaces.shaping(1000)).startswith(
        "qdisc add dev link0 root tbf rate 1000mbit burst 250000b limit"
    )
    assert "burst 16384b" in " ".join(namespaces.shaping(10))
