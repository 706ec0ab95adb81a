"""A picture of a terminal, SVG, out of what a program printed in colours. It asks the network for nothing."""

from __future__ import annotations

import contextlib
import io
import os
import pty
import re
import subprocess
import termios
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[2]
COLUMNS, LINES = 80, 200
FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
FONT_FACE = re.compile(r"(?s) *@font-face \{\{.*?\}\}\n")


def draw(printed: str, command: str) -> str:
    """The SVG: the command, and below it what it printed."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text(f"$ {command}\n", style="bold"))
    console.print(Text.from_ansi(printed.rstrip()))
    picture = console.export_svg(title="hopcost", code_format=frame(), unique_id="terminal")
    return "\n".join(line.rstrip() for line in picture.splitlines()) + "\n"


def run(command: list[str], environment: dict[str, str]) -> str:
    """What a command prints on a terminal."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (LINES, COLUMNS))
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, env=environment, cwd=ROOT) as process:
        os.close(theirs)
        chunks = []
        with contextlib.suppress(OSError):  # the terminal is gone when the command has ended
            while chunk := os.read(ours, 65536):
                chunks.append(chunk)
        os.close(ours)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return b"".join(chunks).decode().replace("\r\n", "\n")


def frame() -> str:
    """rich's frame without the fonts that it would fetch; letters keep their places in any monospaced font."""
    return FONT_FACE.sub("", CONSOLE_SVG_FORMAT).replace("Fira Code, monospace", FONTS)
