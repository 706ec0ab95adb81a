"""`make bench`: what a request costs each load generator, in CPU time, against the same server.

The server has one thread on the stack's core; each generator has the other core. Rounds are shuffled with a recorded
seed; figures are medians over rounds, ratios are taken within a round, because this kind of machine drifts.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from hopcost import __version__
from hopcost.errors import CannotMeasure, HopcostError, MeasurementFailed
from hopcost.machine import binaries
from hopcost.machine import facts as machine_facts
from hopcost.machine.facts import allowed_cores, siblings
from hopcost.plan.cores import Cores, place_cores
from hopcost.programs.generators.peers import BY_NAME
from hopcost.programs.generators.process import Drive, version_of
from hopcost.stacks.host import Local
from hopcost.stacks.running.stack import RunningStack
from hopcost.stacks.sandbox.cgroups import find_freezer
from hopcost.stacks.sandbox.ports import raise_open_files
from hopcost.suites.arms.arm import Arm, Hop, SettingValue
from hopcost.suites.experiments.experiment import Placement
from tools import markdown
from tools.bench.contenders import installed
from tools.bench.sections import FEW, MANY, Section, beside_earlier, heading, sections

INTRODUCTION = """\
Written by `make bench`. CPU time (user and system, all threads) of one generator on one core, against a server with one
thread on another core: nginx with `return 200` and a 12-byte body, or where it says so the embedded origin.
Rounds are shuffled; figures are medians over rounds; ratios are taken within each round,
their median and quartiles are shown. Answers/s are of a whole process, opening its connections included.
hopcost-engine checks status, length and every byte of each answer (of 1 MiB ones the length of each, the bytes of one
in 16) and records its time; the others check less. `floor` moves the same bytes
through the same sockets and does nothing else."""
ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explain" / "other-tools.md"
PART = "bench"  # of the page


def main() -> None:
    """Run and write the page."""
    parser = argparse.ArgumentParser(
        description="CPU per request of load generators; writes their part of docs/explain/other-tools.md."
    )
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=int, default=1, help="of one generator's run")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="sections with this in their title")
    parser.add_argument("--against", metavar="COMMIT", help="build this commit's engine, and measure beside it alone")
    parser.add_argument("--output", type=Path, default=PAGE)
    options = parser.parse_args()
    try:
        path = binaries.require("hopcost-engine")
        with contextlib.ExitStack() as built:
            if options.against is None:
                wanted = sections(path, installed())
            else:
                earlier = built.enter_context(earlier_engine(options.against))
                wanted = [beside_earlier(path, earlier, options.against)]
            wanted = [section for section in wanted if options.only in section.title]
            done = measure_all(wanted, options.rounds, options.seconds, options.seed)
    except HopcostError as error:
        sys.exit(f"error: {error.message}" + (f"\nhint: {error.hint}" if error.hint else ""))
    page = options.output.read_text(encoding="utf-8")
    text = written({**parts(markdown.part(page, PART)), **done})
    options.output.write_text(markdown.replace_part(page, PART, text), encoding="utf-8")
    print(text, end="")


def written(sections: dict[str, str]) -> str:
    """These sections, text by title, in the order of their measurement."""
    return markdown.fill("\n\n".join([INTRODUCTION, *sections.values()]))


def parts(text: str) -> dict[str, str]:
    """The sections by title: those that are not measured again stay as they are."""
    sections = re.split(r"^(?=### )", text, flags=re.MULTILINE)[1:]
    return {section.partition("\n")[0].removeprefix("### "): section.strip() for section in sections}


def commit() -> str:
    """What was measured, as git names it."""
    command = ["git", "describe", "--always", "--dirty"]
    done = subprocess.run(command, cwd=PAGE.parent, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


@contextlib.contextmanager
def earlier_engine(commit: str) -> Iterator[Path]:
    """The engine of a commit, built in a folder of its own; MeasurementFailed if it cannot be built."""
    with tempfile.TemporaryDirectory(prefix="hopcost-earlier-") as name:
        folder = Path(name) / "source"
        build = ["cargo", "build", "--release", "--locked", "--quiet", "--package", "hopcost-engine"]
        try:
            subprocess.run(["git", "worktree", "add", "--quiet", "--detach", folder, commit], cwd=ROOT, check=True)
            subprocess.run(build, cwd=folder, check=True)
            yield folder / "target" / "release" / "hopcost-engine"
        except subprocess.CalledProcessError as error:
            raise MeasurementFailed(f"the engine of {commit} cannot be built: {error}") from error
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", folder], cwd=ROOT, check=False)


def measure_all(wanted: Sequence[Section], rounds: int, seconds: int, seed: int) -> dict[str, str]:
    """Measure these sections: text by title."""
    raise_open_files()
    cores = place_cores(Placement.ONE_CORE, allowed_cores(), siblings())
    path = binaries.require("hopcost-engine")
    others = installed()
    if "wrk" not in others:
        raise CannotMeasure("wrk is not installed: ratios are to wrk", "make setup, or apt-get install wrk")
    shuffle = random.Random(seed)
    measured: dict[str, str] = {}
    versions_line = ", ".join(f"{name} {version_of(BY_NAME[name])}" for name in others)
    facts = machine_facts.facts()
    for section in wanted:
        setting = {"nginx": "worker_processes", "origin": "threads"}[section.server]
        settings: dict[str, SettingValue] = {setting: 1}
        alone = Arm(hops=[Hop(program=section.server, link=section.link, settings=settings)])
        with RunningStack(section.server, alone, {}, cores, Local(find_freezer()), label="bench") as stack:
            url = f"{stack.prepared.address.url}{section.target}"
            run_s = max(seconds, section.least_s)
            results = measure(section, rounds, run_s, url, cores, shuffle)
            texts = [table(section, results)]
            if section.tells_memory:
                texts.append(memory(path, url, cores))
            day = time.strftime("%Y-%m-%d", time.gmtime())
            server = f"{section.server} {stack.prepared.hops[0].version}"
            texts.append(
                f"{day}, {commit()}: {rounds} rounds of {run_s} s each, seed {seed}; server {server}; "
                f"hopcost {__version__}, {versions_line}; {facts.cpu}, {len(machine_facts.allowed_cores())} cores, "
                f"{facts.system}, kernel {facts.kernel}{', a virtual machine' if facts.hypervisor else ''}."
            )
            measured[heading(section)] = "\n\n".join(texts)
    return measured


def measure(
    section: Section, rounds: int, seconds: int, url: str, cores: Cores, shuffle: random.Random
) -> dict[str, list[Drive]]:
    """Drives by row, one per round; MeasurementFailed when one saw errors: it measured something else."""
    results: dict[str, list[Drive]] = {name: [] for name in section.runs}
    for number in range(rounds + 1):
        for name in shuffle.sample(list(section.runs), len(section.runs)):
            tool, connections = section.runs[name]
            done = tool.drive(connections, seconds, url, cores.generator)
            print(f"{section.title}, round {number}: {name}: {done.counts}", file=sys.stderr)
            if not done.counts.answers or done.counts.errors > done.counts.answers / 1000:
                raise MeasurementFailed(f"{section.title}: {name}: {done.counts}")
            if number:  # the first round warms the server up and is not counted
                results[name].append(done)
    return results


def memory(path: Path, url: str, cores: Cores) -> str:
    """What one connection of many takes of the engine's memory: the peak of its resident size, less that with few."""
    lines = []
    for backend in ("uring", "epoll"):
        peaks = []
        for connections in (FEW, MANY):
            command = [str(path), "load", "-t", "1", "-c", str(connections), "-d", "2s", "--io", backend, url]
            command = ["taskset", "--cpu-list", ",".join(map(str, cores.generator)), *command]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            time.sleep(1.8)
            status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
            process.wait()
            peaks.append(next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")))
        kib = (peaks[1] - peaks[0]) / (MANY - FEW)
        lines.append(f"{backend} {kib:.2f} KiB")
    return f"User memory of each of {MANY:,} connections (aim: 4 KiB at most): {', '.join(lines)}."


def table(section: Section, results: dict[str, list[Drive]]) -> str:
    """Markdown."""
    columns = [
        "generator",
        f"{section.unit}:",
        f"ratio to {section.compared_with}:",
        "quartiles:",
        "answers/s:",
        "ratio:",
    ]
    rows = []
    for name, drives in results.items():
        reference = results[section.reference[name]]
        pairs = list(zip(drives, reference, strict=True))
        costs = [section.cost(mine) / section.cost(theirs) for mine, theirs in pairs]
        rates = [rate(mine) / rate(theirs) for mine, theirs in pairs]
        low, _, high = statistics.quantiles(costs, n=4) if len(costs) > 1 else (costs[0],) * 3
        cells = [
            name,
            f"{statistics.median(map(section.cost, drives)):.2f}",
            f"{statistics.median(costs):.3f}",
            f"{low:.3f} to {high:.3f}",
            f"{statistics.median(map(rate, drives)):,.0f}",
            f"{statistics.median(rates):.3f}",
        ]
        rows.append(cells)
    return f"### {heading(section)}\n\nRatio of CPU, aim: {section.aim}.\n\n{markdown.table(columns, rows)}"


def rate(drive: Drive) -> float:
    """Correct answers per second of wall time, start and end of the process included."""
    return drive.counts.answers * 1e9 / drive.elapsed_ns


if __name__ == "__main__":
    main()
