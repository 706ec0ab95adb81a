"""The load engine's process: a plan goes in, lines come out. docs/reference/engine-protocol.md describes both."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator

import msgspec

from hopcost.errors import CannotMeasure, MeasurementFailed
from hopcost.machine import binaries
from hopcost.programs.generators.engine_lines import Line
from hopcost.programs.generators.engine_plan import EnginePlan


def run_engine(plan: EnginePlan) -> Generator[Line, None, None]:
    """Run the plan and yield its lines as they come; closing the iterator ends the engine.

    CannotMeasure or MeasurementFailed, with the engine's own words, if it refuses, fails or is killed.
    """
    command = [str(binaries.require("hopcost-engine")), "run"]
    setpriv = shutil.which("setpriv")
    if setpriv is not None:
        command = [setpriv, "--pdeathsig", "KILL", "--", *command]  # the harness may be killed in a long slice
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, start_new_session=True
        )
        try:
            yield from _lines(process, plan)
            status = process.wait()
            if status != 0:
                errors.seek(0)
                raise failure_of(status, errors.read().decode(errors="replace"))
        finally:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()


def _lines(process: subprocess.Popen[bytes], plan: EnginePlan) -> Generator[Line, None, None]:
    assert process.stdin is not None and process.stdout is not None, "opened with pipes"
    with contextlib.suppress(BrokenPipeError):  # the engine ended early: its exit code and its words say why
        process.stdin.write(msgspec.json.encode(plan))
        process.stdin.close()
    decoder = msgspec.json.Decoder(Line)
    for line in process.stdout:
        if line.endswith(b"\n"):  # the engine's death cut a line short; its exit code says so
            yield decoder.decode(line)


def failure_of(status: int, words: str) -> CannotMeasure | MeasurementFailed:
    """The error that an exit code of the engine (negative: a signal) and its words on standard error mean."""
    message, hint = "", None
    for line in words.splitlines():
        if line.startswith("hint: "):
            hint = line.removeprefix("hint: ")
        elif line.strip():
            message += ("\n" if message else "") + line.removeprefix("error: ")
    if status < 0:
        message = f"the load engine was killed by signal {-status}" + (f": {message}" if message else "")
    kind = CannotMeasure if status == 3 else MeasurementFailed
    return kind(message or f"the load engine ended with exit code {status}", hint)


def handed_over(arguments: list[str], called: str) -> None:
    """Become `hopcost-engine load` with these arguments; does not return. In hints it is `called` as hopcost was."""
    path = binaries.require("hopcost-engine")
    os.execv(path, [called, "load", *arguments])
