"""Writes what hopcost prints of the real records in docs/samples into the pages that show it, and draws the terminal.

A page marks where: `<!-- sample: hopcost report docs/samples/NAME -->` … `<!-- end -->`. `<!-- file: PATH -->` takes
a file in the same way. `--take NAME=RECORD` takes another record first, without what names the place where it was
made: folders, other programs, the harness's cgroup.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from hopcost.record import reader as records
from tools.docs import terminal

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SAMPLES = DOCS / "samples"
RECORD = SAMPLES / "nginx-go"
PICTURE = DOCS / "pictures" / "terminal.svg"
COMMAND = f"hopcost report {RECORD.relative_to(ROOT)}"
REGION = re.compile(r"(?s)(<!-- (sample|file): (.+?) -->\n).*?(<!-- end -->)")
LANGUAGES = {".js": "js", ".go": "go", ".py": "python", ".php": "php", ".conf": "ini"}  # of code, by the file's ending


def main() -> None:
    """Write all samples."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--take",
        metavar="NAME=RECORD",
        action="append",
        default=[],
        help="put a record (its directory, its name in records/, or `latest`) into docs/samples/NAME",
    )
    for wanted in parser.parse_args().take:
        name, _, record = wanted.partition("=")
        take(records.find_record(record), SAMPLES / name)
    for page in pages():
        text = page.read_text(encoding="utf-8")
        page.write_text(rewritten(text), encoding="utf-8")
    PICTURE.write_text(picture(), encoding="utf-8")


def take(record: Path, folder: Path) -> None:
    """The record in the place of the one that is there, without the names of its machine."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(record, folder, ignore=shutil.ignore_patterns("stacks"))
    environment, blocks = folder / "environment.json", folder / "blocks.jsonl"
    facts = json.loads(environment.read_text(encoding="utf-8"))
    environment.write_text(json.dumps(facts | {"cgroup": ""}, indent=2) + "\n", encoding="utf-8")
    kept = [json.loads(line) for line in blocks.read_text(encoding="utf-8").splitlines()]
    for block in kept:
        block["others"] = []
        block["reasons"] = [reason | {"programs": []} for reason in block["reasons"]]
    blocks.write_text("".join(f"{json.dumps(block)}\n" for block in kept), encoding="utf-8")
    move_to_srv(folder, record)


def move_to_srv(folder: Path, record: Path) -> None:
    """The record, its apps and its configurations lie under /srv then, wherever they lay."""
    arms = json.loads((folder / "suite.json").read_text(encoding="utf-8"))["arms"].values()
    hops = [hop for arm in arms for hop in arm["hops"]]
    apps = [hop["app"]["folder"] for hop in hops if hop.get("app")]
    configurations = [str(Path(hop["configuration"]["file"]).parent) for hop in hops if hop.get("configuration")]
    homes = {str(Path(place).parent) for place in [*apps, *configurations, str(record.absolute())]}
    for file in folder.glob("*.json*"):
        text = file.read_text(encoding="utf-8")
        for home in homes:
            text = text.replace(f'"{home}/', '"/srv/')
        file.write_text(text, encoding="utf-8")


def pages() -> list[Path]:
    """All pages that may show a sample."""
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def rewritten(page: str) -> str:
    """The page with every sample as the present version prints it, and every file as it is."""

    def fill(region: re.Match[str]) -> str:
        head, kind, source, end = region.groups()
        if kind == "file":
            language, text = LANGUAGES[Path(source).suffix], (ROOT / source).read_text(encoding="utf-8")
        else:
            language, text = "text", printed(source)
        return f"{head}\n```{language}\n{text.rstrip()}\n```\n{end}"

    return REGION.sub(fill, page)


def picture() -> str:
    """The terminal after a run, in colours: its end is the report of its record."""
    return terminal.draw(
        terminal.run(_words(COMMAND), _environment(TERM="xterm-256color")), "hopcost run nginx-go --quick"
    )


def printed(command: str) -> str:
    """What a command of hopcost prints into a pipe, at 80 columns."""
    run = subprocess.run(
        _words(command), check=True, capture_output=True, encoding="utf-8", env=_environment(), cwd=ROOT
    )
    return run.stdout


def _words(command: str) -> list[str]:
    """The command line, with the hopcost of this environment."""
    hopcost, *words = shlex.split(command)
    return [str(Path(sys.executable).with_name(hopcost)), *words]


def _environment(**more: str) -> dict[str, str]:
    """80 columns and letters of UTF-8, whatever the terminal here is."""
    kept = {name: text for name, text in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "TERM")}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])  # of plain `hopcost`
    return kept | {"PATH": path, "COLUMNS": str(terminal.COLUMNS), "PYTHONUTF8": "1"} | more


if __name__ == "__main__":
    main()
