"""Lines and cases of `make truth`, made by hand."""

from __future__ import annotations

from typing import Any

import msgspec

from tools.truth import lines, made_with

ENGINE = made_with.Build(version="1", commit="c", behaviour=1, method=3, digest="d")
HERE = made_with.Machine(cpu="x", kernel="k", cores=2)


def case(name: str, runs: int = 2, **settings: object) -> lines.Case:
    return lines.Case("part", name, lambda _: {}, runs, settings)


def line(name: str, number: int = 0, **changed: object) -> Any:
    made = lines.Line("part", name, number, {"a": 1.0}, 0.0, 0.0, ENGINE, HERE, {}, "2026-01-01T00:00:00+00:00")
    return msgspec.structs.replace(made, **changed)
