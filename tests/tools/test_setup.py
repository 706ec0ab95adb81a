"""tools/setup in a folder of stubs: what the demo needs is installed for it, and no more."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from places import ROOT

ONLY_TESTS_NEED = {"apache2", "haproxy", "caddy", "varnish", "chromium", "wrk", "apache2-utils", "nghttp2-client"}


class Checkout:
    """A folder with the script, and stubs that write down how they were called."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("tools", "bin", ".venv/bin"):
            (folder / name).mkdir(parents=True)
        shutil.copy(ROOT / "tools" / "setup", folder / "tools" / "setup")
        for tool in ("bash", "dirname", "grep", "python3"):
            (folder / "bin" / tool).symlink_to(shutil.which(tool) or tool)
        for stub in ("tools/apt", "bin/uv", "bin/cargo", "bin/go", ".venv/bin/hopcost"):
            self.stub(stub, f'echo "{Path(stub).name} $*" >>"{folder}/calls"')

    def stub(self, path: str, script: str) -> None:
        place = self.folder / path
        place.write_text(f"#!/bin/bash\n{script}\n")
        place.chmod(0o755)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.folder / "tools" / "setup", *words], env={"PATH": str(self.folder / "bin")},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip

    def calls(self, program: str) -> list[str]:
        lines = (self.folder / "calls").read_text().splitlines()
        return [line.removeprefix(f"{program} ") for line in lines if line.startswith(f"{program} ")]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def packages(checkout: Checkout) -> set[str]:
    (call,) = checkout.calls("apt")
    return {word.partition(":")[0] for word in call.split()}


def test_for_the_demo_only_nginx_and_build_tools_are_installed(checkout: Checkout) -> None:
    done = checkout.run("demo")
    assert done.returncode == 0, done.stderr
    assert packages(checkout) == {"nginx", "gcc", "libc6-dev", "util-linux"}
    assert checkout.calls("uv") == ["sync --quiet --locked --no-dev --extra html --inexact"]
    assert checkout.calls("cargo") == ["build --release --locked --quiet"]
    assert checkout.calls("hopcost") == []


def test_for_the_wheel_only_build_tools_are_installed(checkout: Checkout) -> None:
    (checkout.folder / "bin" / "go").unlink()
    done = checkout.run("wheel")
    assert (done.returncode, "Go" in done.stderr) == (0, False)
    assert packages(checkout) == {"gcc", "libc6-dev"}
    assert checkout.calls("uv") == ["sync --quiet --locked --no-dev --group build --inexact"]


def test_for_everything_else_the_rest_is_too(checkout: Checkout) -> None:
    done = checkout.run()
    assert done.returncode == 0, done.stderr
    assert packages(checkout) >= {"nginx", *ONLY_TESTS_NEED}
    assert checkout.calls("uv") == ["sync --quiet --locked --all-extras"]
    assert checkout.calls("hopcost") == ["build"]


def test_without_rust_it_says_so_before_anything_is_installed(checkout: Checkout) -> None:
    (checkout.folder / "bin" / "cargo").unlink()
    done = checkout.run("demo")
    assert done.returncode == 1
    assert "error: Rust is not installed" in done.stderr
    assert "hint: https://rustup.rs, then again: make demo" in done.stderr
    assert not (checkout.folder / "calls").exists()


@pytest.mark.parametrize(("candidate", "is_new_enough"), [("2:1.19~1", False), ("2:1.24~2", True), ("(none)", False)])
def test_go_comes_from_apt_where_apts_is_new_enough(checkout: Checkout, candidate: str, is_new_enough: bool) -> None:
    (checkout.folder / "bin" / "go").unlink()
    checkout.stub("bin/apt-cache", f"echo '  Candidate: {candidate}'")
    done = checkout.run("demo")
    assert done.returncode == 0, done.stderr
    assert ("golang-go" in packages(checkout)) == is_new_enough
    assert ("hint: install Go 1.22 or newer: https://go.dev/dl" in done.stderr) == (not is_new_enough)


def test_another_word_is_refused(checkout: Checkout) -> None:
    done = checkout.run("everything")
    assert (done.returncode, "knows all, demo, wheel and peers" in done.stderr) == (2, True)
