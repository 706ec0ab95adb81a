"""tools/setup in a folder of stubs: what the demo needs is installed for it, and no more."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from places import ROOT

from hopcost.programs.build.cache import MADE

ONLY_TESTS_NEED = {
    "apache2",
    "haproxy",
    "caddy",
    "varnish",
    "gunicorn",
    "chromium",
    "wrk",
    "apache2-utils",
    "nghttp2-client",
}


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
            [self.folder / "tools" / "setup", *words],
            env={"PATH": str(self.folder / "bin"), "XDG_CACHE_HOME": str(self.folder / "cache")},
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
    assert checkout.calls("cargo") == ["build --release --locked --quiet", "fetch --locked --quiet"]
    assert checkout.calls("hopcost") == ["build"]


@pytest.fixture
def with_apps(checkout: Checkout) -> Checkout:
    """The folder with what tools/setup installs for the apps of tests/systems; uv and npm make what they would."""
    apps = checkout.folder / "tests" / "systems" / "apps"
    (apps / "express").mkdir(parents=True)
    (apps / "requirements.txt").write_text("flask==3\n")
    (apps / "express" / "package-lock.json").write_text("{}\n")
    for tool in ("cut", "mkdir", "sha256sum", "touch"):
        (checkout.folder / "bin" / tool).symlink_to(shutil.which(tool) or tool)
    checkout.stub("bin/uv", f'echo "uv $*" >>"{checkout.folder}/calls"; [ $1 != venv ] || mkdir -p "${{!#}}"')
    installed = f"{apps}/express/node_modules"
    checkout.stub(
        "bin/npm",
        f'echo "npm $*" >>"{checkout.folder}/calls"; mkdir -p {installed}; touch {installed}/.package-lock.json',
    )
    return checkout


def test_for_the_system_tests_servers_and_the_apps_locked_packages_are_installed(with_apps: Checkout) -> None:
    done = with_apps.run("systems")
    assert done.returncode == 0, done.stderr
    assert packages(with_apps) == {"openssh-client", "openssh-server", "php-fpm", "postgresql"}
    (environment,) = (with_apps.folder / "cache" / "hopcost").iterdir()
    assert MADE.fullmatch(environment.name), "hopcost doctor --clean removes it"
    assert with_apps.calls("uv") == [
        f"venv --quiet --clear {environment}",
        f"pip sync --quiet --python {environment} --require-hashes tests/systems/apps/requirements.txt",
    ]
    (npm,) = with_apps.calls("npm")
    assert npm.startswith("ci --prefix tests/systems/apps/express --ignore-scripts ")
    assert with_apps.calls("cargo") == []


def test_what_is_installed_for_the_apps_is_not_installed_again_until_a_lock_changes(with_apps: Checkout) -> None:
    for _ in range(2):
        assert with_apps.run("systems").returncode == 0
    assert (len(with_apps.calls("uv")), len(with_apps.calls("npm"))) == (2, 1)
    apps = with_apps.folder / "tests" / "systems" / "apps"
    (apps / "requirements.txt").write_text("flask==4\n")
    os.utime(apps / "express" / "package-lock.json", (2**32, 2**32))
    assert with_apps.run("systems").returncode == 0
    assert (len(with_apps.calls("uv")), len(with_apps.calls("npm"))) == (4, 2)


def test_packages_whose_installation_failed_are_installed_again(with_apps: Checkout) -> None:
    with_apps.stub("bin/uv", f'echo "uv $*" >>"{with_apps.folder}/calls"; exit 1')
    for _ in range(2):
        assert with_apps.run("systems").returncode == 1
    assert len(with_apps.calls("uv")) == 2


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
    assert (done.returncode, "knows all, demo, wheel, peers and systems" in done.stderr) == (2, True)
