"""What the tools that build keep for themselves."""

from __future__ import annotations

from pathlib import Path

from hopcost.cli.shared.doctor.theirs import Place, places


def test_only_what_is_there_is_told_with_its_size(tmp_path: Path) -> None:
    assert places({"HOME": str(tmp_path)}) == []
    modules, registry = tmp_path / "go" / "pkg" / "mod", tmp_path / "rust" / "registry"
    for folder, size in ((modules, 700), (registry, 20)):
        folder.mkdir(parents=True)
        (folder / "file").write_bytes(b"x" * size)
    assert places({"HOME": str(tmp_path), "CARGO_HOME": str(tmp_path / "rust")}) == [
        Place("Go", modules, 700, "go clean -modcache"),
        Place("cargo", registry, 20, f"rm -r {registry}"),
    ]
