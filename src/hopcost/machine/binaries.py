"""Where hopcost's own binaries (engine, embedded origin, forwarder) are: in the wheel, the checkout, or on the PATH."""

from __future__ import annotations

import shutil
from pathlib import Path

from hopcost import PACKAGE
from hopcost.errors import CannotMeasure

OWN = ("hopcost-engine", "hopcost-origin", "hopcost-forward")
PACKED = PACKAGE / "bin"  # a wheel's; a checkout has no such folder
BUILT = PACKAGE.parents[1] / "target" / "release"
REMEDY = "in a checkout: make setup (it needs Rust); else install hopcost again"


def find(name: str) -> Path | None:
    """The binary's path, hopcost's own before the PATH; None when it is not ours or not there."""
    if name not in OWN:
        return None
    for folder in (PACKED, BUILT):
        if (folder / name).exists():
            return folder / name
    on_path = shutil.which(name)
    return Path(on_path) if on_path else None


def require(name: str) -> Path:
    """As `find`, but CannotMeasure when it is missing."""
    path = find(name)
    if path is None:
        raise CannotMeasure(f"{name} is not built", REMEDY)
    return path
