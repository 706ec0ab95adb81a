"""`hopcost conf` without root's rights: in a jail that a user namespace allows, or on a copy where it is forbidden."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import command
import pytest
from systems.conf_runs import contents
from texts.nginx_texts import OWN

NOBODY = 65534
AS_NOBODY = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--"]
WITHOUT_CAPABILITIES = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--"]
MAKES_JAILS = ["unshare", "--user", "--map-current-user", "--keep-caps", "--mount", "--net", "true"]
SHORT = ("--anyway", "--quick", "--connections", 16, "--time", "8s", "--record", "record", "--json")


def can(before: Sequence[str], words: Sequence[object]) -> bool:
    """Whether that user may run this."""
    done = subprocess.run([*before, *map(str, words)], capture_output=True, check=False, cwd="/")
    return done.returncode == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="every other test of conf runs as an ordinary user then")
@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    ("before", "owner"), [(AS_NOBODY, NOBODY), (WITHOUT_CAPABILITIES, 0)], ids=["nobody", "without capabilities"]
)
def test_whoever_has_no_rights_gets_a_table_and_a_diff(nothing_left: Path, before: list[str], owner: int) -> None:
    # By env: what setpriv itself starts, it starts with root's rights on files.
    if not can(before, ["env", command.HOPCOST, "--version"]):
        pytest.skip(f"another user cannot run this checkout: {command.HOPCOST}")
    site = nothing_left / "site"
    shutil.copytree(OWN / "few-kept-connections", site)
    for path in (nothing_left, *nothing_left.rglob("*")):
        os.chown(path, owner, owner)
    was = contents(site)
    done = command.hopcost(
        *("conf", "nginx.conf", *SHORT, "--diff", "../worth.diff"),
        folder=site,
        before=before,
        extra={"HOME": str(nothing_left), "XDG_CACHE_HOME": str(nothing_left / "cache")},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    makes_jails = can(before, MAKES_JAILS)
    where = "in a jail, the files as they are" if makes_jails else "on a copy, which is rewritten"
    assert where in done.stderr
    assert {name: text for name, text in contents(site).items() if not name.startswith("record/")} == was
    assert (site / "record" / "run.json").stat().st_uid == owner
    answer = json.loads(done.stdout)
    assert "keepalive" in answer["kept"] and [change for change in answer["changes"] if change["confirmed"]]
    assert "-        keepalive 2;" in (nothing_left / "worth.diff").read_text()
