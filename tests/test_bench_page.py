"""The page of `make bench`: a section that is measured again takes the place of the old one; the others stay."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def bench() -> ModuleType:
    """scripts/bench.py, which is no part of the package."""
    path = Path(__file__).parents[1] / "scripts" / "bench.py"
    spec = importlib.util.spec_from_file_location("bench", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module


def test_only_what_was_measured_is_replaced() -> None:
    script = bench()
    old = script.page({"64 connections": "## 64 connections\n\nold", "1 MiB answers": "## 1 MiB answers\n\nkept"})
    done = {"64 connections": "## 64 connections\n\nnew"}
    assert script.page({**script.parts(old), **done}) == old.replace("\nold", "\nnew")


def test_the_page_in_the_repository_is_in_this_form() -> None:
    script = bench()
    text = script.PAGE.read_text(encoding="utf-8")
    assert script.page(script.parts(text)) == text
