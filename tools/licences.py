"""`python -m tools.licences`: whose work the wheel and the HTML report carry, and under which terms.

Rust: what cargo links into the binaries on Linux; the texts lie in cargo's registry. JavaScript: what vl-convert
bundles for the page, where each package names itself; the texts come from npm. Two files are written:
THIRD-PARTY-LICENSES, which the wheel carries, and licences.txt of report/formats/html/template, the half of each page.
A test holds both to what is linked and bundled now.
"""

from __future__ import annotations

import json
import mmap
import re
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
import vl_convert

REPOSITORY = Path(__file__).parents[1]
WHEEL = REPOSITORY / "THIRD-PARTY-LICENSES"
PAGE = REPOSITORY / "src" / "hopcost" / "report" / "formats" / "html" / "template" / "licences.txt"
COMMAND = ".venv/bin/python -m tools.licences"
BINARIES = ("hopcost-engine", "hopcost-forward", "hopcost-origin")
PLATFORM = "x86_64-unknown-linux-gnu"
BUNDLED = re.compile(rb"Original file: /npm/(?P<name>(?:@[\w.-]+/)?[\w.-]+)@(?P<version>[\w.-]+)/")
TEXTS = re.compile(r"(LICEN[CS]E|COPYING|COPYRIGHT|NOTICE|UNLICENSE)", re.IGNORECASE)
RULE = "-" * 100
NOT_ON_NPM = {"robust-predicates@3.0.0": "3.0.1"}  # the version whose text stands for it
STANDARD_LIBRARY = """The Rust standard library is linked into these binaries: MIT OR Apache-2.0,
the Rust Project Developers, https://github.com/rust-lang/rust
"""


class Package(msgspec.Struct, frozen=True, order=True):
    """A package that is carried, with the terms as its author names them (SPDX)."""

    name: str
    version: str
    terms: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


def main() -> None:
    """Write both files."""
    linked = linked_packages()
    javascript, texts = _javascript_texts(bundled_packages())
    PAGE.write_text(section("JavaScript in every HTML report", javascript, texts), encoding="utf-8")
    WHEEL.write_text(
        "What hopcost's wheel and its HTML reports carry of others, and under which terms\n\n"
        f"Made by `{COMMAND}`.\n\n"
        + section("Rust in hopcost-engine, hopcost-forward and hopcost-origin", linked.keys(), _rust_texts(linked))
        + f"\n{STANDARD_LIBRARY}\n"
        + PAGE.read_text(encoding="utf-8"),
        encoding="utf-8",
    )


def section(title: str, packages: Iterable[Package], texts: Mapping[str, list[Package]]) -> str:
    """A list of the packages, then each text once, under the packages that it belongs to."""
    lines = [title, "", *(f"* {package}: {package.terms}" for package in sorted(packages)), ""]
    for text, owners in sorted(texts.items(), key=lambda item: sorted(item[1])):
        lines += [RULE, ", ".join(map(str, sorted(owners))), "", text, ""]
    return "\n".join(lines)


def listed(text: str) -> set[Package]:
    """The packages in the lists of a file that `section` wrote."""
    return {Package(*match) for match in re.findall(r"^\* (\S+) (\d\S*): (.+)$", text, flags=re.MULTILINE)}


# Rust


def linked_packages() -> dict[Package, Path]:
    """The packages of others that end up in the binaries, with their folders.

    Macros and build scripts run while compiling: nothing of them is carried.
    """
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--offline", f"--filter-platform={PLATFORM}"]
    metadata = json.loads(subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    waiting = [key for key, package in packages.items() if package["name"] in BINARIES]
    seen: set[str] = set()
    while waiting:
        key = waiting.pop()
        if key in seen or any("proc-macro" in target["kind"] for target in packages[key]["targets"]):
            continue
        seen.add(key)
        for dependency in nodes[key]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                waiting.append(dependency["pkg"])
    return {
        Package(package["name"], package["version"], package["license"]): Path(package["manifest_path"]).parent
        for package in (packages[key] for key in seen)
        if package["source"] is not None
    }


def _rust_texts(linked: Mapping[Package, Path]) -> dict[str, list[Package]]:
    """The texts of each package; of several terms to choose from, those of MIT alone."""
    texts: dict[str, list[Package]] = {}
    for package, folder in linked.items():
        files = texts_in(folder)
        if re.search(r"\bOR\b", package.terms) and "MIT" in package.terms:
            files = [file for file in files if "MIT" in file.name.upper()] or files
        assert files, f"{package} has no licence in {folder}: add its text by hand"
        for file in files:
            texts.setdefault(_normal(file), []).append(package)
    return texts


def texts_in(folder: Path) -> list[Path]:
    """The files of a package that hold its terms."""
    return sorted(path for path in folder.iterdir() if path.is_file() and TEXTS.match(path.name))


def _normal(file: Path) -> str:
    """The text without what differs between editors only."""
    return "\n".join(line.rstrip() for line in file.read_text(encoding="utf-8", errors="replace").splitlines()).strip()


# JavaScript


def bundled_packages() -> set[tuple[str, str]]:
    """Names and versions of the packages in the script that every page carries.

    vl-convert holds each package as text, which begins with its name, and bundles those that the newest Vega-Lite uses.
    """
    (library,) = Path(vl_convert.__file__).parent.glob("*.so")
    with library.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        named = {(match["name"].decode(), match["version"].decode()) for match in BUNDLED.finditer(content)}
    newest = max((version for name, version in named if name == "vega-lite"), key=_numbers)
    return {(name, version) for name, version in named if name != "vega-lite" or version == newest}


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


def _javascript_texts(named: Iterable[tuple[str, str]]) -> tuple[list[Package], dict[str, list[Package]]]:
    packages: list[Package] = []
    texts: dict[str, list[Package]] = {}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "package.json").write_text("{}")
        wanted = sorted(f"{name}@{_on_npm(name, version)}" for name, version in named)
        command = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--force"]
        subprocess.run([*command, *wanted], cwd=folder, check=True)
        for name, version in sorted(named):
            place = Path(folder, "node_modules", name)
            manifest = json.loads((place / "package.json").read_text(encoding="utf-8"))
            assert manifest["version"] == _on_npm(name, version), f"{name}: {manifest['version']}"
            package = Package(name, version, manifest["license"])
            packages.append(package)
            files = texts_in(place)
            assert files, f"{package} has no licence in its npm package: add its text by hand"
            for file in files:
                texts.setdefault(_normal(file), []).append(package)
    return packages, texts


def _on_npm(name: str, version: str) -> str:
    return NOT_ON_NPM.get(f"{name}@{version}", version)


if __name__ == "__main__":
    main()
