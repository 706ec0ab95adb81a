"""`hopcost load --from -` reads ten million lines in bounded memory, and counts those that cannot be requests."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import IO, Any

import pytest
from processes.origins import origin

from hopcost.machine import binaries

SECONDS, LINES_PER_S = 100, 100_000
EACH = 10_000  # of so many lines one is binary, and one a POST
ODD = SECONDS * LINES_PER_S // EACH
ANSWERED = '" 200 512 "-" "Mozilla/5.0 (X11; Linux x86_64)"\n'


def second() -> str:
    """The lines of one second, each another request; its time is `TIME`."""
    begins = '203.0.113.9 - - [10/Oct/2025:TIME +0000] "'
    odd = {7: r"\x16\x03\x01", 8: "POST /form HTTP/1.1"}
    requests = (odd.get(number % EACH, f"GET /page/{number} HTTP/1.1") for number in range(LINES_PER_S))
    return "".join(f"{begins}{request}{ANSWERED}" for request in requests)


def write_log(pipe: IO[bytes]) -> None:
    lines = second()
    for number in range(SECONDS):
        pipe.write(lines.replace("TIME", f"13:{number // 60:02}:{number % 60:02}").encode())
    pipe.close()


def read_log(url: str, *options: str) -> tuple[dict[str, Any], int]:
    """What the engine says of a log that it reads, and the most memory that it has had, in bytes."""
    words = [str(binaries.require("hopcost-engine")), "load", "--from", "-", "-c", "4", "-n", "1000", "--json"]
    with subprocess.Popen([*words, *options, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None, "pipes were asked for"
        write_log(process.stdin)
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 4), output
    said: dict[str, Any] = json.loads(output)
    return said, usage.ru_maxrss * 1024


@pytest.mark.parametrize(("options", "most_bytes"), [([], 200 << 20), (["--timed"], 400 << 20)])
def test_ten_million_lines_take_little_memory(tmp_path: Path, options: list[str], most_bytes: int) -> None:
    with origin(tmp_path) as server:  # it has none of the pages
        said, peak_bytes = read_log(f"http://{server.address}", "--expect-status", "404", *options)
    assert (said["sent"], said["answers"], said["errors"]) == (1000, 1000, {})
    log = said["log"]
    lines, distinct = SECONDS * LINES_PER_S, LINES_PER_S - 2 * LINES_PER_S // EACH
    assert (log["lines"], log["sent_lines"], log["requests"]) == (lines, lines - 2 * ODD, distinct)
    left_out = {entry["what"]: (entry["lines"], entry["first_line"]) for entry in log["left_out"]}
    assert left_out == {"binary": (ODD, 8), "POST": (ODD, 9)}
    assert peak_bytes < most_bytes, f"{peak_bytes / (1 << 20):.0f} MB"
