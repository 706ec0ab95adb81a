"""tools/apt on a machine made of stubs: when it asks, what it leaves running, what it notes."""

from __future__ import annotations

import os
import pty
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from places import ROOT

APT = ROOT / "tools" / "apt"
STUBS = {
    "id": "echo ${WHO:-0}",
    "apt-get": """
echo "apt-get $*" >>calls
[ "$1" = install ] || exit 0
[ -x policy ] && echo "policy: $(./policy; echo $?)" >>calls
for word in "$@"; do case $word in "${REFUSES:-none}") exit 100 ;; esac; done
for word in "$@"; do case $word in -*|install) ;; *) echo "$word" >>installed ;; esac; done
if [ -n "${BRINGS:-}" ]; then echo "$BRINGS" >>installed; fi
""",
    "dpkg-query": "sed 's/^/installed /' installed; echo 'config-files removed-long-ago'",
    "dpkg": """
case $2 in
  server) printf '%s\\n' / /usr/sbin/server /lib/systemd/system/server.service \\
    /usr/lib/systemd/system/server@.service /usr/lib/systemd/system/rotate.timer /etc/init.d/server ;;
  old) echo /lib/systemd/system/old.service ;;
esac
""",
    "systemctl": 'echo "systemctl $*" >>calls',
    "update-rc.d": 'echo "update-rc.d $*" >>calls',
}


class Machine:
    """A folder with stubs of Debian's tools, what is installed, and what was called."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.note = folder / "state" / "hopcost" / "apt-packages"
        self.policy = folder / "policy"
        (folder / "bin").mkdir()
        (folder / "installed").write_text("old\n")
        (folder / "calls").touch()
        for name, script in STUBS.items():
            stub = folder / "bin" / name
            stub.write_text(f"#!/bin/bash\n{script}\n")
            stub.chmod(0o755)

    @property
    def calls(self) -> list[str]:
        return (self.folder / "calls").read_text().splitlines()

    def environment(self, extra: Mapping[str, str]) -> dict[str, str]:
        own = {
            "PATH": f"{self.folder / 'bin'}:/usr/bin:/bin",
            "HOME": str(self.folder),
            "XDG_STATE_HOME": str(self.folder / "state"),
            "TMPDIR": str(self.folder),
            "POLICY_RC_D": str(self.policy),
        }
        return own | dict(extra)

    def run(self, *wanted: str, **extra: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [APT, *wanted], cwd=self.folder, env=self.environment(extra), stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip

    def run_on_a_terminal(self, answer: str, *wanted: str, **extra: str) -> subprocess.CompletedProcess[str]:
        ours, theirs = pty.openpty()
        try:
            os.write(ours, answer.encode())
            return subprocess.run(
                [APT, *wanted], cwd=self.folder, env=self.environment(extra), stdin=theirs,
                capture_output=True, text=True, timeout=60, check=False,
            )  # fmt: skip
        finally:
            os.close(ours)
            os.close(theirs)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_where_nothing_is_missing_it_does_nothing(machine: Machine) -> None:
    done = machine.run("server:bash", f"library:{machine.folder}/inst*")
    assert (done.returncode, done.stderr, machine.calls) == (0, "", [])


def test_without_a_terminal_it_says_what_it_does_and_installs(machine: Machine) -> None:
    done = machine.run("server:no-such-program", "tool:")
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("apt installs: server tool\nNo server is enabled or started.")
    assert "apt-get install -y -qq --no-install-recommends server tool" in machine.calls
    assert machine.note.read_text() == "server\ntool\n"


def test_no_server_starts_meanwhile_and_those_that_came_are_switched_off(machine: Machine) -> None:
    machine.run("server:no-such-program")
    assert "policy: 101" in machine.calls
    assert not machine.policy.exists()
    stopped = [call for call in machine.calls if call.startswith(("systemctl", "update-rc.d"))]
    assert stopped == [
        "systemctl disable --quiet rotate.timer",
        "systemctl stop --quiet rotate.timer",
        "systemctl disable --quiet server.service",
        "systemctl stop --quiet server.service",
        "update-rc.d server disable",
    ]


def test_a_server_that_was_there_is_not_touched_nor_noted(machine: Machine) -> None:
    """`old` is installed, its program is not found: apt has nothing to do."""
    machine.run("old:no-such-program")
    assert not [call for call in machine.calls if "old.service" in call]
    assert not machine.note.exists()


def test_servers_that_come_along_are_switched_off_and_only_what_was_asked_for_is_noted(machine: Machine) -> None:
    machine.run("tool:no-such-program", BRINGS="server")
    assert "systemctl disable --quiet server.service" in machine.calls
    assert machine.note.read_text() == "tool\n"


def test_the_administrators_own_policy_stays(machine: Machine) -> None:
    machine.policy.write_text("#!/bin/sh\nexit 0\n")
    machine.policy.chmod(0o755)
    machine.run("server:no-such-program")
    assert machine.policy.read_text() == "#!/bin/sh\nexit 0\n"
    assert "systemctl stop --quiet server.service" in machine.calls


def test_a_policy_that_a_killed_one_left_behind_goes(machine: Machine) -> None:
    machine.policy.write_text("#!/bin/sh\n# made by tools/apt of hopcost, which removes it\nexit 101\n")
    machine.run("server:no-such-program")
    assert not machine.policy.exists()


@pytest.mark.parametrize(("answer", "installs"), [("y\n", True), ("\n", True), ("n\n", False), ("\x04", False)])
def test_on_a_terminal_it_asks(machine: Machine, answer: str, installs: bool) -> None:
    done = machine.run_on_a_terminal(answer, "server:no-such-program")
    assert done.returncode == 0, done.stderr
    assert "Go on? [Y/n]" in done.stderr
    assert bool(machine.calls) == installs
    assert ("nothing was installed" in done.stderr) == (not installs)


def test_yes_answers_the_question(machine: Machine) -> None:
    done = machine.run_on_a_terminal("", "server:no-such-program", YES="1")
    assert "Go on?" not in done.stderr
    assert machine.calls


def test_without_root_it_names_the_command_and_ends_well(machine: Machine) -> None:
    done = machine.run("server:no-such-program", WHO="1000")
    assert (done.returncode, machine.calls) == (0, [])
    assert "hint: as root: apt-get install --no-install-recommends server\n" in done.stderr


def test_a_package_that_is_not_to_be_had_does_not_keep_out_the_others(machine: Machine) -> None:
    done = machine.run("tool:", "rare:", REFUSES="rare")
    assert done.returncode == 0, done.stderr
    assert "warning: apt could not install rare" in done.stderr
    assert machine.note.read_text() == "tool\n"
