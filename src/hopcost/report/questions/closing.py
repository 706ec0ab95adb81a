"""The last lines of an answer: where its record is, and one next command."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence

OF_A_RUN = frozenset({"--time", "--record", "--seed", "--diff", "--output", "-o"})
LEAST_PERCENT = 0.1  # that a gate and a run take as a precision


def closing_lines(record: str | None, command: str, why: str = "") -> list[str]:
    """`record  …` and `next    …`; no record if nothing was recorded.

    >>> closing_lines("records/a", "hopcost doctor")
    ['record  records/a', 'next    hopcost doctor']
    """
    lines = [f"record  {record}"] if record is not None else []
    return [*lines, f"next    {command}" + (f"   {why}" if why else "")]


def time_option(seconds: float) -> str:
    """A time as `--time` takes it, rounded up.

    >>> [time_option(seconds) for seconds in (41, 130, 3000, 6000)]
    ['50s', '3m', '50m', '2h']
    """
    if seconds <= 120:
        return f"{10 * math.ceil(seconds / 10)}s"
    return f"{math.ceil(seconds / 60)}m" if seconds <= 5400 else f"{math.ceil(seconds / 1800) / 2:g}h"


def with_time(command: Sequence[str], seconds: float) -> str:
    """The same command with more time, and without what names this run; the user's own command behind `--` stays.

    >>> with_time(["hopcost", "conf", "nginx.conf", "--seed=3", "--", "serve", "--time", "9"], 130)
    'hopcost conf --time 3m nginx.conf -- serve --time 9'
    """
    end = command.index("--") if "--" in command else len(command)
    words, skip = [], False
    for word in command[2:end]:
        if not skip and word.partition("=")[0] not in OF_A_RUN:
            words.append(word)
        skip = not skip and word in OF_A_RUN
    return shlex.join([*command[:2], "--time", time_option(seconds), *words, *command[end:]])


def precision_option(share: float) -> str:
    """A half-width as `--precision` takes it, rounded down.

    >>> [precision_option(share) for share in (0.0119, 0.00857, 0.0002)]
    ['1.1%', '0.85%', '0.1%']
    """
    percent = 100 * share
    step = 10.0 ** (math.floor(math.log10(percent)) - 1)
    return f"{max(LEAST_PERCENT, math.floor(percent / step) * step):.2g}%"
