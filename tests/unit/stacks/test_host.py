"""What freezes and counts the sessions of this machine; no program runs."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hopcost.stacks.host import LABEL_LONGEST, Local
from hopcost.stacks.sandbox import leftovers
from hopcost.stacks.sandbox.cgroups import Freezer, FreezerKind


@pytest.mark.parametrize(
    ("freezer", "freeze", "account"),
    [
        (Freezer(FreezerKind.CGROUP_2, "/v2", "/v2"), {"cgroup2": "/v2/s"}, Path("/v2/s")),
        (Freezer(FreezerKind.CGROUP_1, "/v1/freezer", "/v1/cpu"), {"cgroup1": "/v1/freezer/s"}, Path("/v1/cpu/s")),
        (Freezer(FreezerKind.CGROUP_1, "/v1/freezer"), {"cgroup1": "/v1/freezer/s"}, None),
        (Freezer(FreezerKind.SIGNAL, None), {"signal": [7, 8]}, None),
    ],
)
def test_this_machine_freezes_and_counts_by_the_freezer(
    freezer: Freezer, freeze: dict[str, object], account: Path | None
) -> None:
    session: Any = SimpleNamespace(cgroup=freezer.cgroup("s"))
    assert Local(freezer).freeze(session, [7, 8]) == freeze
    assert Local(freezer).account(session) == account


def test_a_session_is_named_by_its_owner_and_a_label_that_fits() -> None:
    local = Local(Freezer(FreezerKind.CGROUP_2, "/v2", "/v2"))
    name = f"{leftovers.CGROUP_PREFIX}{leftovers.owner()}-{'x' * LABEL_LONGEST}"
    assert local.cgroups("x" * 300) == [Path("/v2") / name]
