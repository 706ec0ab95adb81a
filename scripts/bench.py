"""`make bench`: what a request costs each load generator, in CPU time, against the same nginx.

One nginx worker on the stack's core answers `return 200`; each generator has the other core. Rounds are shuffled with a
recorded seed; figures are medians over rounds, ratios are taken within a round, because this kind of machine drifts.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
from pathlib import Path

from hopcost import __version__, binaries, machine, peers
from hopcost.errors import CannotMeasure, HopcostError, MeasurementFailed
from hopcost.peers import Drive, Peer
from hopcost.sandbox import Cores, Ports, find_freezer, place, raise_open_files
from hopcost.stack import RunningStack
from hopcost.suite import Arm, Hop, Link, Placement

CONNECTIONS = (64, 1000)
NGINX_ALONE = Arm(hops=[Hop(program="nginx", link=Link.HTTP_TCP, settings={"worker_processes": 1})])
INTRODUCTION = """\
Written by `make bench`. CPU time (user and system, all threads) per correct answer, one generator core, against nginx
{nginx} with one worker on another core, `return 200` with a 12-byte body. {rounds} rounds of {seconds} s each, shuffled
(seed {seed}); medians over rounds; the ratio to wrk is taken within each round, its median and its quartiles are shown.
hopcost-engine checks status, length and every byte of each answer and records its time; the others check less."""
PAGE = Path(__file__).parents[1] / "docs" / "bench.md"


def main() -> None:
    """Run and write the page."""
    parser = argparse.ArgumentParser(description="CPU per request of load generators; writes docs/bench.md.")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=int, default=2, help="of one generator's run")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=PAGE)
    options = parser.parse_args()
    try:
        text = page(options.rounds, options.seconds, options.seed)
    except HopcostError as error:
        sys.exit(f"error: {error.message}" + (f"\nhint: {error.hint}" if error.hint else ""))
    options.output.write_text(text, encoding="utf-8")
    print(text, end="")


def generators() -> list[Peer]:
    """Our engine under the options that matter, and every peer that is installed; wrk must be."""
    path = binaries.require("hopcost-engine")
    ours = [
        peers.engine(path, "hopcost-engine", "--io", "uring"),
        peers.engine(path, "hopcost-engine, batch 8", "--io", "uring", "--batch", "8"),
        peers.engine(path, "hopcost-engine, epoll", "--io", "epoll"),
    ]
    others = [peer for peer in peers.ALL if peer.version() is not None]
    if peers.WRK not in others:
        raise CannotMeasure("wrk is not installed: ratios are to wrk", "make setup, or apt-get install wrk")
    return ours + others


def page(rounds: int, seconds: int, seed: int) -> str:
    """The whole measurement and its page."""
    raise_open_files()
    cores = place(Placement.ONE_CORE, machine.allowed_cores(), machine.siblings())
    everyone = generators()
    shuffle = random.Random(seed)
    parts = []
    with RunningStack("nginx", NGINX_ALONE, {}, cores, find_freezer(), Ports(), label="bench") as stack:
        version = stack.prepared.hops[0].version
        url = f"{stack.prepared.address.url}/"
        for connections in CONNECTIONS:
            results = measure(everyone, rounds, seconds, connections, url, cores, shuffle)
            parts.append(table(everyone, results, connections))
    facts = machine.facts()
    versions = ", ".join(f"{peer.name} {peer.version()}" for peer in everyone if peer in peers.ALL)
    intro = INTRODUCTION.format(nginx=version, rounds=rounds, seconds=seconds, seed=seed)
    machine_line = (
        f"{facts['cpu']}, {len(machine.allowed_cores())} cores, {facts['system']}, kernel {facts['kernel']}"
        f"{', a virtual machine' if facts['hypervisor'] else ''}; hopcost {__version__}, {versions}."
    )
    return "\n\n".join(["# What a request costs the load generator", intro, machine_line, *parts]) + "\n"


def measure(
    everyone: list[Peer], rounds: int, seconds: int, connections: int, url: str, cores: Cores, shuffle: random.Random
) -> dict[str, list[Drive]]:
    """Drives by generator, one per round; MeasurementFailed when one saw errors: it measured something else."""
    results: dict[str, list[Drive]] = {peer.name: [] for peer in everyone}
    for number in range(rounds + 1):
        for peer in shuffle.sample(everyone, len(everyone)):
            done = peers.drive(peer, connections, seconds, url, cores.generator)
            print(f"{connections} connections, round {number}: {peer.name}: {done.counts}", file=sys.stderr)
            if not done.counts.answers or done.counts.errors > done.counts.answers / 1000:
                raise MeasurementFailed(f"{peer.name} at {connections} connections: {done.counts}")
            if number:  # the first round warms nginx up and is not counted
                results[peer.name].append(done)
    return results


def table(everyone: list[Peer], results: dict[str, list[Drive]], connections: int) -> str:
    """Markdown."""
    lines = [
        f"## {connections} connections",
        "",
        "| generator | CPU µs per request | ratio to wrk | quartiles | answers/s | ratio to wrk |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for peer in everyone:
        drives, wrk = results[peer.name], results["wrk"]
        costs = [cost(mine) / cost(theirs) for mine, theirs in zip(drives, wrk, strict=True)]
        rates = [rate(mine) / rate(theirs) for mine, theirs in zip(drives, wrk, strict=True)]
        low, _, high = statistics.quantiles(costs, n=4)
        cells = [
            peer.name,
            f"{statistics.median(map(cost, drives)) / 1000:.2f}",
            f"{statistics.median(costs):.3f}",
            f"{low:.3f} to {high:.3f}",
            f"{statistics.median(map(rate, drives)):,.0f}",
            f"{statistics.median(rates):.3f}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def cost(drive: Drive) -> float:
    """CPU ns per correct answer."""
    return drive.cpu_ns / drive.counts.answers


def rate(drive: Drive) -> float:
    """Correct answers per second of wall time, start and end of the process included."""
    return drive.counts.answers * 1e9 / drive.elapsed_ns


if __name__ == "__main__":
    main()
