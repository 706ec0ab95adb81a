"""`make truth` and `make truth-short`: measure what is missing, then write docs/explain/truth.md.

They print what this machine's runs say. The page has the fullest runs of all machines.
A second call goes on after the last kept run.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time

from hopcost.errors import HopcostError, MeasurementFailed
from tools.truth.form import SHORT_S, Form
from tools.truth.made_with import require_built
from tools.truth.page.page import PAGE, SECTIONS, of_this_machine, page
from tools.truth.page.part import Section
from tools.truth.server import say


def turns(form: Form, only: str | None) -> list[type[Section]]:
    """The sections to measure, in order. In the short form the one that takes all the time left comes last."""
    kinds = [kind for name, kind in SECTIONS.items() if only in (None, name)]
    if form == Form.FULL:
        return kinds
    return sorted((kind for kind in kinds if kind.short_s is not None), key=lambda kind: kind.short_s == SHORT_S)


def measure(form: Form, only: str | None, at_most_s: float) -> None:
    """What is missing of each section. In the short form no section takes more than its own time.

    A section whose runs fail does not keep the others from being measured; the page says that it is unfinished.
    """
    require_built()
    began = time.monotonic()
    for kind in turns(form, only):
        left_s = at_most_s - (time.monotonic() - began)
        own_s = kind.short_s if form == Form.SHORT and kind.short_s is not None else left_s
        try:
            kind(form=form).kept.measure(min(own_s, left_s))
        except MeasurementFailed as error:
            say(f"{kind.key}: {error.message}")


def main() -> None:
    """Measure and write; exit code 1 when a line does not hold on this machine."""
    parser = argparse.ArgumentParser(description="Measures what is missing of the truth; writes docs/explain/truth.md.")
    parser.add_argument("--short", action="store_true", help="the form that ends within 60 minutes")
    parser.add_argument("--at-most-s", type=float, default=float("inf"), help="begin no run that ends after so long")
    parser.add_argument("--only", choices=list(SECTIONS), help="measure this section alone")
    options = parser.parse_args()
    form = Form.SHORT if options.short else Form.FULL
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # as Ctrl-C: what was started is ended too
    try:
        measure(form, options.only, min(options.at_most_s, SHORT_S if options.short else float("inf")))
    except HopcostError as error:
        sys.exit(f"error: {error.message}" + (f"\nhint: {error.hint}" if error.hint else ""))
    PAGE.write_text(page(form=form), encoding="utf-8")
    words, holds = of_this_machine(form=form)
    print(f"This machine's runs, {form.value} form:\n\n{words}")
    sys.exit(0 if holds else 1)


if __name__ == "__main__":
    main()
