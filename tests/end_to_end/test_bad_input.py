"""Bad input and broken programs: one clear error with a hint, the exit code of its kind, nothing lost, nothing left."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import command
import pytest
from processes.freezers import freezers
from samples.programs import forget
from texts import suite_files

from hopcost.errors import ArmFailed
from hopcost.plan.cores import Cores
from hopcost.plan.method import METHOD
from hopcost.programs.definition import definition
from hopcost.stacks.host import Local
from hopcost.stacks.running.stack import RunningStack
from hopcost.stacks.sandbox.network import TRIED
from hopcost.stacks.sandbox.ports import raise_open_files
from hopcost.suites.arms.arm import Arm, Hop, Link

pytestmark = pytest.mark.usefixtures("nothing_left")

WITH_PORT = suite_files.TWO_ARMS.replace('link = "http+tcp" }', 'link = "http+tcp", port = PORT }')


def run(tmp_path: Path, text: str, *, is_restricted: bool = False) -> tuple[int, str]:
    """Exit code and standard error of a short run over this suite, also without the right to make namespaces."""
    path = suite_files.write(tmp_path, text)
    before = ["setpriv", "--bounding-set=-sys_admin", "--"] if is_restricted else []
    extra = {TRIED: "1"} if is_restricted else {}  # not to be started again in a user namespace
    words = ("run", path, "--quick", "--time", 3, "--anyway", "--record", tmp_path / "record")
    done = command.hopcost(*words, before=before, extra=extra)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("question", "questoin", ["small.toml", "experiments[0]", "questoin", "did you mean 'question'?"]),
        ("connections = 4", 'connections = "many"', ["small.toml", "experiments[0].workload.connections", "int"]),
        ('"http+unix"', '"http+pipe"', ["small.toml", "http+pipe"]),
        ('"all-cores"', '"some-cores"', ["small.toml", "placement", "some-cores"]),
        ('program = "origin", link = "http+tcp"', 'program = "origni", link = "http+tcp"', ["origni", "'origin'"]),
        ("[arms.tcp]", "[arms.tpc]", ["small.toml", "no [arms.tcp]", "did you mean 'tpc'?"]),
        ('link = "http+unix" }', 'link = "http+unix", settings = { thread = 1 } }', ["unix", "'thread'", "'threads'"]),
        (
            '{ program = "origin", link = "http+unix" }',
            '{ program = "express", link = "http+unix", settings = { instances = 4 } }',
            ['arm unix: express.instances has no effect with manager = "node"', 'set manager = "pm2" there too'],
        ),
        (
            'hops = [{ program = "origin", link = "http+unix" }]',
            'hops = [{ program = "origin", link = "http+unix" }]\nlink_mbit_per_s = 100',
            ["arm unix: link_mbit_per_s has no effect", "over a Unix socket", "hint: a link with a rate"],
        ),
        (
            '{ program = "origin", link = "http+unix" }',
            '{ program = "apache2", link = "http+tcp", settings = { processes = 300000000 } }',
            ["arm unix: apache2: it would start 300,000,000 processes, and /proc/sys/kernel/pid_max allows"],
        ),
    ],
)
def test_a_wrong_suite_is_a_usage_error_that_names_file_key_and_nearest(
    tmp_path: Path, old: str, new: str, words: list[str]
) -> None:
    code, errors = run(tmp_path, suite_files.TWO_ARMS.replace(old, new, 1))
    assert code == 2
    assert [word for word in words if word not in errors] == []
    assert not (tmp_path / "record").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "nginx-goo"], ["no suite is called 'nginx-goo'", "hint: did you mean 'nginx-go'?"]),
        (["run", "nginx-go", "one-cor"], ["no experiment 'one-cor'", "hint: did you mean 'one-core'?"]),
        (["run", "missing.toml"], ["missing.toml: no such file in ", "hint: no TOML file is there"]),
        (["run", "nginx-go", "--time", "soon"], ["--time: expected a time from 1 s", "hint: as in --time 90"]),
        (["run", "nginx-go", "--time", "-1"], ["--time: expected a time from 1 s"]),
        (["build", "ngin"], ["no program is called 'ngin'", "hint: did you mean 'nginx'?"]),
        (["up", "nginx-go/one-core"], ["names no arm; it has:\n  nginx-go/one-core/go\n", "hint: say which"]),
        (["up", "nginx-go/one-core/nginx-htp-tcp"], ["did you mean 'nginx-http-tcp'?"]),
        (["report", "no-such-record"], ["no record there"]),
        (["report", "latest"], ["no record in records/", "hint: make one"]),
        (["up", "one-core/go"], ["2 arms are called 'one-core/go':\n  hello/one-core/go\n", "hint: say which"]),
        (["show", "latest"], ["'latest' is a record, not an arm", "hint: hopcost report latest"]),
        (["report", "latest", "--json", "--html"], ["--json and --html", "hint: one format at a time"]),
        (["lis"], ["no verb 'lis'", "hint: did you mean 'hopcost list'?"]),
        (["bench"], ["no verb 'bench'", "hint: did you mean 'hopcost run'?"]),
        (["verson"], ["hint: did you mean 'hopcost --version'?"]),
        (["run", "nginx-go", "--duration", "10"], ["no option --duration", "hint: did you mean '--time TIME'?"]),
        (["gate", "hello/one-core/go", "--quick"], ["no option --quick", "hint: did you mean '--time TIME'?"]),
        (["run", "nginx-go", "--generator", "wrq"], ["--generator: 'wrq' is not one of 'wrk'"]),
        (["run", "nginx-go", "--time"], ["'--time' needs a value", "hint: hopcost run --help"]),
        (["report", "latest", "--format", "pdf"], ["--format: 'pdf' is not one of 'text'"]),
        (["up"], ["hopcost up needs SUITE/EXPERIMENT/ARM", "hint: like hopcost up "]),
        (["--quik"], ["hopcost has no option --quik", "hint: hopcost --help"]),
    ],
)
def test_a_wrong_word_on_the_command_line_is_a_usage_error(
    tmp_path: Path, arguments: list[str], words: list[str]
) -> None:
    done = command.hopcost(*arguments, folder=tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr and done.stderr.startswith("error: ")
    assert [word for word in words if word not in done.stderr] == []


def test_a_port_that_is_taken_cannot_be_measured(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        code, errors = run(tmp_path, WITH_PORT.replace("PORT", str(port)), is_restricted=True)
    assert code == 3
    assert f"arm tcp: origin: port {port} is taken" in errors and "hint: see who has it" in errors


def test_a_record_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "record").mkdir()
    (tmp_path / "record" / "mine.txt").write_text("precious")
    code, errors = run(tmp_path, suite_files.TWO_ARMS)
    assert code == 2
    assert "not an empty directory" in errors and "hint: nothing is overwritten" in errors
    assert [path.name for path in (tmp_path / "record").iterdir()] == ["mine.txt"]


def test_a_target_that_fails_alike_in_all_arms_is_still_compared(tmp_path: Path) -> None:
    code, errors = run(
        tmp_path, suite_files.TWO_ARMS.replace("connections = 4", 'connections = 4, target = "/nowhere"')
    )
    assert code == 0, errors
    assert '"status":404' in (tmp_path / "record" / "blocks.jsonl").read_text()


@pytest.fixture
def own_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of programs with one, `mine`, whose script the test writes."""
    folder = tmp_path / "programs" / "mine"
    folder.mkdir(parents=True)
    (folder / "program.toml").write_text(
        f"""name = "mine"
title = "a test's own"
executable = "{sys.executable}"
links = ["http+tcp"]
command = ["{{{{ executable }}}}", "{folder}/mine.py", "{{{{ listen.address }}}}"]
version_command = ["{{executable}}", "--version"]
version_pattern = 'Python (\\S+)'
install = "it is there"
"""
    )
    monkeypatch.setattr(definition, "PROGRAMS", folder.parent)
    forget()
    yield folder / "mine.py"
    forget()


def start_own(ready_s: float = METHOD.ready_s) -> None:
    raise_open_files()
    cores = Cores(stack=[0], generator=[0])
    arm = Arm(hops=[Hop(program="mine", link=Link.HTTP_TCP)])
    with RunningStack("own", arm, {}, cores, Local(freezers()[0]), label="own", ready_s=ready_s):
        pass


def test_a_program_that_exits_at_start_shows_its_last_lines(own_program: Path) -> None:
    own_program.write_text("import sys; print('no licence found'); sys.exit(9)")
    with pytest.raises(ArmFailed, match="mine ended with exit code 9; its last lines:\nno licence found"):
        start_own()


def test_a_program_that_never_gets_ready_is_told_with_its_address(own_program: Path) -> None:
    own_program.write_text("import time; print('thinking', flush=True); time.sleep(600)")
    with pytest.raises(ArmFailed, match=r"mine did not get ready within 0.2 s: 127\.0\.0\.1:\d+: .*refused"):
        start_own(ready_s=0.2)
