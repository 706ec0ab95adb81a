"""The two forms of `make truth`: the whole campaign, and one that ends within an hour."""

from __future__ import annotations

from enum import StrEnum

import msgspec

# Of all sections together: an hour, less what a last run may take longer than it should, and the page.
SHORT_S = 3500.0


class Form(StrEnum):
    """How much is measured."""

    FULL = "full"
    SHORT = "short"


class Runs(msgspec.Struct, frozen=True):
    """How many runs a case has in each form. Runs of the short form count in the full one too."""

    full: int
    short: int

    def of(self, form: Form) -> int:
        """In this form.

        >>> Runs(full=20, short=4).of(Form.SHORT)
        4
        """
        return self.short if form == Form.SHORT else self.full
