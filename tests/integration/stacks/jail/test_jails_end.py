"""Jails end with the harness, and whoever is not root has them too."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from places import ROOT
from texts.nginx_texts import OWN

from hopcost.stacks.sandbox import leftovers

CHILD = """
import sys, time
from pathlib import Path
sys.path[:0] = [{support!r}]
from jails import arm_of, ask, running, site_of
configuration, site = site_of(Path({file!r}))
with running(arm_of(configuration, site)) as stack:
    pids = [pid for of_hop in stack.processes.values() for pid in of_hop]
    print(ask(stack).status, stack.session.directory, *pids, flush=True)
    time.sleep(60)
"""


def test_nothing_is_left_after_kill_9(tmp_path: Path) -> None:
    code = CHILD.format(support=str(ROOT / "tests" / "support"), file=str(OWN / "few-kept-connections" / "nginx.conf"))
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        status, directory, *pids = child.stdout.readline().split()
        assert status == "200" and len(pids) >= 4
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
        if child.stdout is not None:
            child.stdout.close()
    deadline = time.monotonic() + 20
    while (Path(directory).exists() or any(map(leftovers.is_alive, map(int, pids)))) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not [pid for pid in pids if leftovers.is_alive(int(pid))]
    assert not Path(directory).exists()
    assert directory not in Path("/proc/mounts").read_text()


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone can become another user")
def test_who_is_not_root_has_jails_too(tmp_path: Path) -> None:
    python = Path("/usr/bin/python3")
    same = subprocess.run(
        [python, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True, check=True
    )
    if same.stdout.split() != [str(number) for number in sys.version_info[:2]]:
        pytest.skip("no python of this version that everybody may run")
    home = Path(f"/tmp/hopcost-test-home-{os.getpid()}")
    home.mkdir()
    try:
        os.chown(home, 65534, 65534)
        code = CHILD.format(support=str(ROOT / "tests" / "support"), file=str(OWN / "https-redirect" / "nginx.conf"))
        code = code.replace("    time.sleep(60)\n", "")
        packages = [path for path in sys.path if path.endswith("site-packages")]
        environment = {
            "HOME": str(home),
            "TMPDIR": "/tmp",
            "PATH": os.environ["PATH"],
            "PYTHONPATH": ":".join([str(ROOT / "src"), *packages]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "HOPCOST_USER_NAMESPACE": "1",
        }
        run = subprocess.run(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--",
             "unshare", "--user", "--map-current-user", "--keep-caps", "--", python, "-c", code],
            env=environment, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert run.returncode == 0, run.stderr
        status, directory, *_ = run.stdout.split()
        assert status == "200" and not Path(directory).exists()
    finally:
        subprocess.run(["rm", "-rf", str(home)], check=True)
