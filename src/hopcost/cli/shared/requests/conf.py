"""The words of `hopcost conf` as a request, and what it prints before it measures; imported when the verb runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from hopcost.cli.shared.arguments import read_header, read_path
from hopcost.cli.shared.output import write_result
from hopcost.cli.shared.requests.app import read_app, read_folder
from hopcost.cli.shared.requests.files import read_body_text
from hopcost.errors import UsageError, nearest
from hopcost.measure.protocols.conf.learning import ConfLearned
from hopcost.measure.protocols.conf.plan import ConfPlan
from hopcost.measure.protocols.conf.request import ConfRequest
from hopcost.nginx.upstreams import TLS_LEFT_OUT
from hopcost.report.formatting import count, duration
from hopcost.report.questions.conf.words import diff_text
from hopcost.statistics.questions.conf.result import ConfResult
from hopcost.suites.arms.app import App
from hopcost.suites.experiments.request import Method
from hopcost.suites.experiments.workload import Workload


class ConfWords(msgspec.Struct, frozen=True):
    """The options as they were typed."""

    file: Path
    command: list[str]
    nginx: str
    site: str | None
    path: str
    headers: list[str]
    body_bytes: int | None
    connections: int
    new_connections: int | None
    streams: int | None
    app_port: int | None
    needs: list[str]
    folder: Path | None
    environment: list[str]
    is_quick: bool
    ready: str | None = None
    body_file: Path | None = None

    def request(self) -> ConfRequest:
        """The request; UsageError for a word that is none."""
        if not self.file.exists():
            raise UsageError(f"{self.file}: no such file", _nearest_file(self.file))
        host, port = (None, None) if self.site is None else _site(self.site)
        if self.body_bytes is not None and self.body_file is not None:
            raise UsageError("--body-bytes and --body-file", "one of the two: so many digits, or what FILE says")
        uploads = self.body_bytes is not None or self.body_file is not None
        workload = Workload(
            connections=self.connections,
            target=read_path(self.path),
            headers=[read_header(text) for text in self.headers],
            requests_per_connection=self.new_connections,
            streams=self.streams or 1,
            method=Method.POST if uploads else Method.GET,
            body_bytes=self.body_bytes,
            body_text=None if self.body_file is None else read_body_text("--body-file", self.body_file),
        )
        return ConfRequest(
            file=self.file,
            workload=workload,
            nginx=self.nginx,
            host=host,
            port=port,
            app=self._app() if self.command else None,
            http2=self.streams is not None,
            is_quick=self.is_quick,
        )

    def _app(self) -> App:
        return read_app(self.command, read_folder(self.folder), self.app_port, self.environment, self.needs, self.ready)


def show_plan(plan: ConfPlan, say: Callable[[str], None], now_s: float | None = None) -> None:
    """What is left out, and how long it takes: `7 changes; about 4.5 min (until 10:42)`."""
    question = plan.question
    for limit in question.limits:
        say(f"off in all arms: {limit}")
    for note in question.notes:
        if TLS_LEFT_OUT in note:
            say(note)
    until = time.strftime("%H:%M", time.localtime((time.time() if now_s is None else now_s) + plan.time.whole_s))
    changes = f"{count(len(question.candidates), 'change')}, {len(question.unseen)} more that this load does not show"
    say(f"{changes}; about {duration(plan.time.whole_s)} (until {until})")


def write_diff(answer: ConfResult, learned: ConfLearned, path: Path) -> bool:
    """The diff alone, into a file; whether there is one. There it has the secrets that a record masks."""
    if answer.diff is None:
        return False
    plain = msgspec.structs.replace(answer, diff=learned.plain_diff(answer.kept))
    write_result(diff_text(plain) or "", path)
    return True


def read_new_connections(text: str | None) -> int | None:
    """Requests per connection: 1 if no number was given; None: connections are kept.

    >>> read_new_connections(None), read_new_connections(""), read_new_connections("20")
    (None, 1, 20)
    """
    if text is None or text == "":
        return None if text is None else 1
    if not (text.isascii() and text.isdecimal() and int(text) > 0):
        raise UsageError(f"--new-connections: expected a number from 1, got '{text}'", "as in --new-connections=20")
    return int(text)


def refuse_own_file(option: str, path: Path | None, file: Path) -> None:
    """UsageError if a result would go into the configuration: that is never written."""
    if path is not None and path.resolve() == file.resolve():
        raise UsageError(f"{option}: {path} is the configuration, which is never written", "name another file")


def _nearest_file(file: Path) -> str:
    folder = file.parent
    names = [path.name for path in folder.glob("*.conf")] if folder.is_dir() else []
    return nearest(file.name, names) if names else "name nginx.conf, or the file of a site"


def _site(text: str) -> tuple[str | None, int | None]:
    """`example.org`, `example.org:8080`, `:8080` or a URL, as host and port.

    >>> _site("example.org:8080"), _site(":443"), _site("https://a.org/"), _site("[::1]:80")
    (('example.org', 8080), (None, 443), ('a.org', 443), ('::1', 80))
    """
    try:
        to = urlsplit(text if "//" in text else f"//{text}")
        port = to.port or {"https": 443, "http": 80}.get(to.scheme)
    except ValueError as error:
        raise UsageError(f"--site: expected HOST:PORT, got '{text}'", "like example.org:443 or :8080") from error
    if to.hostname is None and port is None:
        raise UsageError(f"--site: expected HOST:PORT, got '{text}'", "like example.org:443 or :8080")
    return to.hostname, port
