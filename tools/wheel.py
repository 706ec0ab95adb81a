"""hatchling's hook for hopcost's wheel: builds the crates, packs their binaries, and says where the wheel runs.

An editable install packs nothing and needs no Rust: in a checkout hopcost finds target/release, which `make setup`
builds. docs/reference/packaging.md has the reasons.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BINARIES = ("hopcost-engine", "hopcost-forward", "hopcost-origin")
TARGET = "target"  # whatever CARGO_TARGET_DIR says: in a checkout they are built there already
GLIBC = re.compile(rb"\bGLIBC_(\d+)\.(\d+)")


class Wheel(BuildHookInterface[Any]):
    """What hatchling calls before it packs."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the binaries and the tag to what is packed; `version` is the wheel's kind, "standard" or "editable"."""
        if version == "editable":
            return
        if shutil.which("cargo") is None:
            self.app.abort("hopcost's wheel is built with Rust 1.88 or newer: no cargo on the PATH (https://rustup.rs)")
        cargo = ["cargo", "build", "--release", "--locked", "--quiet", "--target-dir", TARGET]
        subprocess.run(cargo, cwd=self.root, check=True)
        binaries = [_stripped(Path(self.root, TARGET, "release", name)) for name in BINARIES]
        for path in binaries:
            build_data["force_include"][str(path)] = f"hopcost/bin/{path.name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{_platform(binaries)}"


def _stripped(built: Path) -> Path:
    """A copy of the binary without debug information: the same instructions in a sixth of the bytes."""
    packed = built.parents[1] / "wheel" / built.name
    packed.parent.mkdir(exist_ok=True)
    subprocess.run(["strip", "--strip-debug", "-o", packed, built], check=True)
    return packed


def _platform(binaries: Iterable[Path]) -> str:
    """`manylinux_2_34_x86_64`: the newest glibc that one of them names; those that name none are linked statically."""
    named = [tuple(map(int, version)) for path in binaries for version in GLIBC.findall(path.read_bytes())]
    machine = sysconfig.get_platform().removeprefix("linux-")
    return "manylinux_{}_{}_{}".format(*max(named), machine) if named else f"linux_{machine}"
