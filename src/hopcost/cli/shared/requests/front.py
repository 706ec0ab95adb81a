"""The words of `hopcost front` as a request, and what it prints before it measures; imported when the verb runs."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from hopcost.cli.shared.arguments import read_header, read_path
from hopcost.cli.shared.output import write_result
from hopcost.cli.shared.requests.app import read_app, read_command, read_folder
from hopcost.cli.shared.requests.files import read_body_text
from hopcost.errors import UsageError, nearest
from hopcost.measure.protocols.front.ask import FrontPlan
from hopcost.measure.protocols.front.request import FrontRequest, over_socket
from hopcost.report.formatting import count
from hopcost.statistics.questions.front.fronts import parse_fronts
from hopcost.suites.experiments.request import Method
from hopcost.suites.experiments.workload import Workload
from hopcost.suites.toml_text import suite_text

ABOUT = (
    "What hopcost front measures before `{command}`.",
    "hopcost run {file} gives figures with ranges; the advice comes from hopcost front alone.",
)
SOCKET_APP = "uvicorn app:app --uds {socket}"
SCRIPTS = ("index.php", "public/index.php")  # of a FastCGI app, where --path names no file


class FrontWords(msgspec.Struct, frozen=True):
    """The options as they were typed."""

    command: list[str]
    fronts: list[str]
    path: str
    headers: list[str]
    method: str
    body_bytes: int | None
    connections: int
    port: int | None
    socket: str | None
    is_fastcgi: bool
    script: Path | None
    needs: list[str]
    folder: Path | None
    environment: list[str]
    rate: float | None
    is_quick: bool
    ready: str | None = None
    streams: int | None = None
    body_file: Path | None = None

    def request(self) -> FrontRequest:
        """The request; UsageError for a word that is none."""
        folder, target = read_folder(self.folder), read_path(self.path)
        if self.script is not None and not self.is_fastcgi:
            raise UsageError("--script: without --fastcgi nobody asks for a script", "add --fastcgi")
        app = read_app(self.command, folder, self.port, self.environment, self.needs, self.ready)
        method = _method(self.method)
        self._refuse_body(method)
        workload = Workload(
            connections=self.connections,
            target=target,
            headers=[read_header(text) for text in self.headers],
            method=method,
            body_bytes=self.body_bytes,
            body_text=None if self.body_file is None else read_body_text("--body-file", self.body_file),
        )
        return FrontRequest(
            app=app,
            workload=workload,
            wanted=parse_fronts(self.fronts, over_http2=self.streams is not None),
            streams=self.streams or 1,
            socket_app=over_socket(app, self._socket_command()),
            is_fastcgi=self.is_fastcgi,
            script=self._script(folder) if self.is_fastcgi else None,
            rate_per_s=self.rate,
            is_quick=self.is_quick,
        )

    def _refuse_body(self, method: Method) -> None:
        """A body and a method that carries one belong together, and there is one body."""
        options = {"--body-bytes": self.body_bytes is not None, "--body-file": self.body_file is not None}
        given = [option for option, is_given in options.items() if is_given]
        if len(given) > 1:
            raise UsageError("--body-bytes and --body-file", "one of the two: so many digits, or what FILE says")
        if method.uploads and not given:
            raise UsageError(
                f"--method {method.value}: of nothing", "--body-file FILE says of what, --body-bytes 100 of how much"
            )
        if given and not method.uploads:
            raise UsageError(f"{given[0]}: a {method.value} carries no body", "add --method POST, PUT or PATCH")

    def _socket_command(self) -> list[str] | None:
        return None if self.socket is None else read_command("--socket", self.socket, SOCKET_APP)

    def _script(self, folder: Path) -> str | None:
        """The file that a FastCGI app runs; None if it needs none, as Go's."""
        if self.script is not None:
            script = folder / self.script
            if not script.is_file():
                raise UsageError(f"--script: {script}: no such file", "a path is taken from --folder")
            return str(script)
        named = self.path.partition("?")[0].lstrip("/")
        return next((str(folder / name) for name in (named, *SCRIPTS) if name and (folder / name).is_file()), None)


def show_left_out(plan: FrontPlan, say: Callable[[str], None]) -> None:
    """Which fronts are left out, and what else there is to know of the app."""
    for left in plan.question.left_out:
        say(f"not measured: {left.words()}")
    for note in plan.question.app.notes:
        say(f"note: {note}")


def show_time(plan: FrontPlan, say: Callable[[str], None], now_s: float | None = None) -> None:
    """How long it takes: `3 fronts, at least 4 starts each: about 4 min (until 10:42)`."""
    end_s = (time.time() if now_s is None else now_s) + plan.time.seconds
    fronts, starts = count(len(plan.question.fronts), "front"), count(plan.time.starts, "start")
    until = time.strftime("%H:%M", time.localtime(end_s))
    say(f"{fronts}, at least {starts} each: about {_duration(plan.time.seconds)} (until {until})")


def write_suite(plan: FrontPlan, path: Path) -> None:
    """The suite as a file that `hopcost run` accepts."""
    command = shlex.join(plan.question.command)
    about = [line.format(command=command, file=path) for line in ABOUT]
    write_result(suite_text(plan.suite, about), path)
    print(f"written: {path}\nnext:    hopcost run {shlex.quote(str(path))} --time {round(plan.time.seconds)}")


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{round(seconds / 60)} min"


def _method(word: str) -> Method:
    try:
        return Method(word.upper())
    except ValueError as error:
        raise UsageError(
            f"--method: '{word}' is none that hopcost sends", nearest(word.upper(), [method.value for method in Method])
        ) from error
