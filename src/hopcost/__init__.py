"""hopcost measures what every hop in front of a web application costs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

PACKAGE = Path(__file__).parent

__version__: str  # Cargo.toml has it; here stands that of what is installed

if not TYPE_CHECKING:  # which would take any name for a string then

    def __getattr__(name: str) -> str:
        """`__version__` on demand: to read it takes as long as a whole `--help`, and a keeper does not need it."""
        if name != "__version__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib.metadata import version

        return version(__name__)
