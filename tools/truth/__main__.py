"""`make truth`: measures what is missing, then writes docs/truth.md.

A second call goes on after the last kept run.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time

from hopcost.errors import HopcostError
from tools.truth.page import PAGE, SECTIONS, page


def main() -> None:
    """Measure and write; exit code 1 when a line does not hold."""
    parser = argparse.ArgumentParser(description="Measures what is missing of the truth; writes docs/truth.md.")
    parser.add_argument("--at-most-s", type=float, default=float("inf"), help="begin no run after so many seconds")
    parser.add_argument("--only", choices=list(SECTIONS), help="measure this section alone")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # as Ctrl-C: what was started is ended too
    began = time.monotonic()
    try:
        for name, section in SECTIONS.items():
            if options.only in (None, name):
                section().kept.measure(options.at_most_s - (time.monotonic() - began))
    except HopcostError as error:
        sys.exit(f"error: {error.message}" + (f"\nhint: {error.hint}" if error.hint else ""))
    text, holds = page()
    PAGE.write_text(text, encoding="utf-8")
    print(text, end="")
    sys.exit(0 if holds else 1)


if __name__ == "__main__":
    main()
