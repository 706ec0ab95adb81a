"""The doctor on this machine."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from command import HOPCOST, environment, hopcost

from hopcost.cli.shared.doctor.findings import examine
from hopcost.machine.other_load import OtherLoad


def test_examine_judges_everything_that_it_saw() -> None:
    """On this machine, whatever it is: every line has a level, and no judgement is left out."""
    quiet = OtherLoad(busy=0.0, stolen=0.0, busiest=[])
    words = "\n".join(finding.what for finding in examine(quiet))
    for topic in ("physical", "SMT", "governor", "other load", "steal", "swap", "clock source", "open files", "frozen",
                  "io_uring", "autogroup", "hopcost-engine", "hopcost-origin", "nginx", "go-hello"):  # fmt: skip
        assert topic in words, topic
    assert "hypervisor" in words or "virtual machine" in words


@pytest.mark.parametrize("words", [["list"], ["doctor"], ["doctor", "--left"]])
def test_what_it_prints_fits_80_columns(words: list[str], tmp_path: Path) -> None:
    shown = hopcost(*words, folder=tmp_path)
    assert shown.stdout.count("\n") > 3
    assert [line for line in shown.stdout.splitlines() if len(line) > 80 and " " in line.strip()] == []


def test_commands_are_printed_as_the_program_was_called(tmp_path: Path) -> None:
    """Where a shell does not find hopcost, its whole path stands in hints and examples."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "hopcost").symlink_to(HOPCOST)
    path = {"PATH": os.defpath}
    for words in (["report", "nope"], ["bench"]):
        refused = subprocess.run(
            ["bin/hopcost", *words], cwd=tmp_path, env=environment() | path, capture_output=True, text=True, check=False
        )
        assert refused.returncode == 2 and "bin/hopcost run" in refused.stderr
    assert f"  {HOPCOST} run nginx-go --quick" in hopcost("--help", extra=path, folder=tmp_path).stdout
