"""The doctor on this machine."""

from __future__ import annotations

from hopcost.cli.shared.findings import examine
from hopcost.machine.other_load import OtherLoad


def test_examine_judges_everything_that_it_saw() -> None:
    """On this machine, whatever it is: every line has a level, and no judgement is left out."""
    quiet = OtherLoad(busy=0.0, stolen=0.0, busiest=[])
    words = "\n".join(finding.what for finding in examine(quiet))
    for topic in ("physical", "SMT", "governor", "other load", "steal", "swap", "clock source", "open files", "frozen",
                  "io_uring", "autogroup", "hopcost-engine", "hopcost-origin", "nginx", "go-hello"):  # fmt: skip
        assert topic in words, topic
    assert "hypervisor" in words or "virtual machine" in words
