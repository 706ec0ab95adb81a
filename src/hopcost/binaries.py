"""Where hopcost's own binaries (the engine, the embedded origin) are: beside the checkout's build, or on the PATH."""

from __future__ import annotations

import shutil
from pathlib import Path

from hopcost.errors import CannotMeasure

OWN = ("hopcost-engine", "hopcost-origin")


def find(name: str) -> Path | None:
    """The binary's path, the checkout's release build before the PATH; None when it is not ours or not built."""
    if name not in OWN:
        return None
    built = Path(__file__).parents[2] / "target" / "release" / name
    if built.exists():
        return built
    on_path = shutil.which(name)
    return Path(on_path) if on_path else None


def require(name: str) -> Path:
    """As `find`, but CannotMeasure when it is missing."""
    path = find(name)
    if path is None:
        raise CannotMeasure(f"{name} is not built", "run `make setup` in the checkout (it needs Rust)")
    return path
