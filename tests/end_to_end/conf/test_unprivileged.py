"""`hopcost conf` as an ordinary user: in a jail that a user namespace allows, or on a copy where it is forbidden."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import command
import pytest
from systems.conf_runs import contents
from texts.nginx_texts import OWN

NOBODY = 65534
AS_NOBODY = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--"]
MAKES_JAILS = ["unshare", "--user", "--map-root-user", "--mount", "--net", "true"]
SHORT = ("--anyway", "--connections", 16, "--time", "8s", "--record", "record", "--json")


@pytest.mark.skipif(os.geteuid() != 0, reason="every other test of conf runs as an ordinary user then")
@pytest.mark.timeout(240)
def test_an_ordinary_user_gets_a_table_and_a_diff(nothing_left: Path) -> None:
    site = nothing_left / "site"
    shutil.copytree(OWN / "few-kept-connections", site)
    for path in (nothing_left, *nothing_left.rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    before = contents(site)
    done = command.hopcost(
        *("conf", "nginx.conf", *SHORT, "--diff", "../worth.diff"),
        folder=site,
        before=AS_NOBODY,
        extra={"HOME": str(nothing_left), "XDG_CACHE_HOME": str(nothing_left / "cache")},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    makes_jails = subprocess.run([*AS_NOBODY, *MAKES_JAILS], capture_output=True, check=False).returncode == 0
    where = "in a jail, the files as they are" if makes_jails else "on a copy, which is rewritten"
    assert where in done.stderr
    assert {name: text for name, text in contents(site).items() if not name.startswith("record/")} == before
    assert (site / "record" / "run.json").stat().st_uid == NOBODY
    answer = json.loads(done.stdout)
    assert "keepalive" in answer["kept"] and [change for change in answer["changes"] if change["confirmed"]]
    assert "-        keepalive 2;" in (nothing_left / "worth.diff").read_text()
