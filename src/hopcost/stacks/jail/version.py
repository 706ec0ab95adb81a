"""Which nginx reads a configuration: its version, and where it was built to look for things."""

from __future__ import annotations

import posixpath
import re
import shlex
import subprocess
from functools import cache
from pathlib import Path

import msgspec

from hopcost.errors import CannotMeasure
from hopcost.programs.configuration import NGINX
from hopcost.programs.receipt import find_executable

ASK_S = 10.0
PREFIX = "/usr/local/nginx"  # of a build that was told none


class NginxVersion(msgspec.Struct, frozen=True):
    """An nginx that is installed. `paths` are those that it was built with: `error-log-path` and so on."""

    path: str
    text: str
    version: tuple[int, ...]
    prefix: str
    modules_path: str
    paths: dict[str, str]
    options: list[str]

    @property
    def modules(self) -> list[str]:
        """The modules that it can load, by file name; those of other builds may be among them."""
        return sorted(path.name for path in Path(self.modules_path).glob("*.so"))


@cache
def nginx_version(binary: str = NGINX) -> NginxVersion:
    """What `nginx -V` says; CannotMeasure if there is no such nginx."""
    path = Path(binary) if "/" in binary else find_executable(binary)
    if path is None:
        raise CannotMeasure(f"'{binary}' is not installed", "apt-get install nginx (as root), or --nginx BINARY")
    try:
        run = subprocess.run(
            [path, "-V"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=ASK_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotMeasure(f"{path} -V: {error}", "name another nginx: --nginx BINARY") from error
    return read_version(str(path), run.stdout + run.stderr)


def read_version(path: str, text: str) -> NginxVersion:
    """The output of `nginx -V`; CannotMeasure if it is that of another program."""
    version = re.search(r"\bnginx version: \S*/(\d+(?:\.\d+)+)", text)
    if version is None:
        raise CannotMeasure(f"{path} -V printed no version of nginx", "name another nginx: --nginx BINARY")
    configured = re.search(r"configure arguments: (.*)", text)
    options = shlex.split(configured[1]) if configured is not None else []
    paths = dict[str, str](re.findall(r"--([a-z-]+-path)=(\S+)", " ".join(options)))
    prefix = next((word.removeprefix("--prefix=") for word in options if word.startswith("--prefix=")), PREFIX)
    return NginxVersion(
        path=path,
        text=version[1],
        version=tuple(int(number) for number in version[1].split(".")),
        prefix=prefix,
        modules_path=paths.get("modules-path", f"{prefix}/modules"),
        paths={name: posixpath.join(prefix, value) for name, value in paths.items() if value != "stderr"},
        options=options,
    )
