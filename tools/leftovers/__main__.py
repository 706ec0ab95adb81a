"""`make leftovers`: runs are interrupted and killed at random moments, and what is left of each is counted.

Each trial starts a small run, waits a seeded random time (for a keeper or the engine: after it is there), and sends
SIGINT, SIGTERM or SIGKILL to the harness, to a keeper or to the engine. In the last trials the harness and its keepers
are killed at once, which nothing can answer: they are followed by `hopcost doctor --clean --yes`. Each trial is kept in
`records/leftovers.jsonl`; `--resume` goes on with those that are missing there. Exit code 1 when anything is left, 3
when trials are still to be done.
"""

from __future__ import annotations

import argparse
import math
import signal
import sys
import time

from tools.leftovers.plan import Trial, kept, line, missing, plan
from tools.leftovers.remains import KINDS
from tools.leftovers.trial import REPOSITORY, trial

KEPT = REPOSITORY / "records" / "leftovers.jsonl"


def main() -> None:
    """Do the trials and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--double", type=int, default=10, help="trials in which harness and keepers are killed at once")
    parser.add_argument("--resume", action="store_true", help="keep the trials that were done")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no trial later than this")
    options = parser.parse_args()
    # A shell without job control starts background jobs with SIGINT ignored, which a child would inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    wanted = plan(options.seed, options.count, options.double)
    trials = kept(KEPT.read_bytes(), wanted) if options.resume and KEPT.exists() else []
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_bytes(b"".join(map(line, trials)))
    deadline = time.monotonic() + options.seconds
    for planned in missing(wanted, trials):
        if time.monotonic() > deadline:
            break
        done = trial(planned)
        with KEPT.open("ab") as file:
            file.write(line(done))
        trials.append(done)
        left = sum(len(names) for names in done.left.values())
        print(f"{planned.number:3} {done.victim:16} {done.signal:8} {done.after_s:4.1f} s  left: {left}", flush=True)
    well = report(trials)
    print(f"{len(trials)} of {len(wanted)} trials are done")
    sys.exit(1 if not well else 0 if len(trials) == len(wanted) else 3)


def report(trials: list[Trial]) -> bool:
    """The table; whether nothing was left."""
    print(f"\n{'signal to':17}{'signal':9}{'trials':>7}" + "".join(f"{kind:>14}" for kind in KINDS))
    for victim, kind in sorted({(done.victim, done.signal) for done in trials}):
        alike = [done for done in trials if (done.victim, done.signal) == (victim, kind)]
        counts = [sum(len(done.left.get(what, [])) for done in alike) for what in KINDS]
        print(f"{victim:17}{kind:9}{len(alike):7}" + "".join(f"{count:14}" for count in counts))
    bad = [done for done in trials if done.left]
    for done in bad:
        print(f"left: {done.victim} {done.signal} after {done.after_s:.2f} s: {done.left}")
    print(f"{len(trials)} interrupts and kills, {len(bad)} left something behind")
    doubles = [done.before_cleaning for done in trials if done.before_cleaning is not None]
    there = sum(len(names) for before in doubles for names in before.values())
    print(f"harness+keepers: counted after `hopcost doctor --clean --yes`, before which {there} things were there")
    return not bad


if __name__ == "__main__":
    main()
