"""Why there is no verdict, and what to change: statistics' reasons in a reader's words."""

from __future__ import annotations

import re

ADVICE = (  # words of a reason, and what to change
    ("not steady", ""),  # it says so itself
    ("errors", "fewer connections, or look: hopcost up"),
    ("error:", "fewer connections, or look: hopcost up"),
    ("load generator was full", "its CPU counts, or offer a load: --rate"),
    ("cannot carry", "offer less: --rate"),
    ("differs from itself", "measure again on a quiet machine"),
    ("other programs", "measure again on a quiet machine"),
    ("while others were loaded", "--freeze stops it meanwhile"),
    ("failed", "see --details=starts"),
    ("start", "give it more --time"),
)
PLAINER = (
    (r"measured with --anyway, whatever else the machine was doing", "measured with --anyway beside other programs"),
    (
        r"the generator was full while the stack idled: its throughput is a lower bound",
        "the load generator was full while the stack idled, so its throughput is at least this",
    ),
    (r", over all experiments: the run has no verdicts", ""),
    (r"from one start: (\d+) are needed", r"only one server start, \1 are needed"),
    (r"^(\d+) of (\d+) blocks valid: ", r"\1 of \2 server starts counted: "),
    (r"^(\d+) void blocks: ", r"\1 server starts did not count: "),
    (r"^no valid block$", "no server start counts"),
    (r"in block (\d)", r"in start \1"),
    (r" \(block \d[\d, ]*\)$", ""),
    (
        r"its CPU per request fell by (\d+) % from the first round of a start to the last",
        r"its CPU per request still fell by \1 %",
    ),
    (r"^(\d+) errors: (.*)$", r"\1 errors (\2)"),
    (r" differs from itself here: ([\d.]+) \[([\d.]+), ([\d.]+)\]$", r" differs from itself by more than the margin"),
)


def plainer(reason: str) -> str:
    """The reason without the words of statistics.

    >>> plainer("from one start: 2 are needed")
    'only one server start, 2 are needed'
    >>> plainer("19410 errors: read 19410")
    '19,410 errors (read 19,410)'
    >>> plainer("0 of 2 blocks valid: other programs used 40 % of the CPU")
    '0 of 2 server starts counted: other programs used 40 % of the CPU'
    """
    for pattern, words in PLAINER:
        reason = re.sub(pattern, words, reason)
    return re.sub(r"(?<![\d.])\d{4,}(?=\b)", lambda figure: f"{int(figure[0]):,}", reason)


def with_advice(reason: str) -> str:
    """The reason in plainer words, and what to change.

    >>> with_advice("go differs from itself here: 0.930 [0.900, 0.960]")
    'go differs from itself by more than the margin; measure again on a quiet machine'
    """
    words = plainer(reason)
    advice = next((advice for part, advice in ADVICE if part in words), "")
    return f"{words}; {advice}" if advice else words
