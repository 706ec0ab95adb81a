"""A stack in words that a sceptic can paste into a shell: its URL, commands and generated files."""

from __future__ import annotations

import shlex
from pathlib import Path

from hopcost.stack import Address, PreparedStack


def of(stack: PreparedStack, folder: Path, target: str) -> str:
    """Several lines of text; `folder` is where the files are, or would be."""
    cores = ",".join(str(core) for core in stack.cores.stack)
    lines = [
        f"arm:    {stack.arm}",
        f"URL:    {stack.address.url}{target}",
        f"folder: {folder}",
        f"cores:  stack {cores}, generator {','.join(map(str, stack.cores.generator))}",
    ]
    lines += ["", "try it:", *[f"  {line}" for line in _checks(stack.address, target, stack.cores.generator)]]
    for hop in reversed(stack.hops):
        settings = ", ".join(f"{key} = {str(value).lower()}" for key, value in hop.settings.items())
        lines += [
            "",
            f"{hop.name} ({hop.program} {hop.version}), reached over {hop.address.link} at {hop.address.address}",
        ]
        lines += [f"  settings: {settings}"] if settings else []
        lines += [f"  $ cd {shlex.quote(str(folder))} && taskset --cpu-list {cores} {shlex.join(hop.command)}"]
    for hop in stack.hops:
        for name, text in hop.files.items():
            lines += ["", f"{folder}/{name}:", *[f"  {line}".rstrip() for line in text.splitlines()]]
    return "\n".join(lines) + "\n"


def _checks(address: Address, target: str, generator: list[int]) -> list[str]:
    cores = ",".join(str(core) for core in generator)
    if address.is_unix:
        return [f"curl -i --unix-socket {address.address} http://localhost{target}"]
    url = f"{address.url}{target}"
    trust = f"--cacert {address.ca_file} " if address.is_tls else ""
    authority = f"--ca {address.ca_file} " if address.is_tls else ""
    return [
        f"curl -i {trust}{url}",
        f"taskset --cpu-list {cores} hopcost load -c 64 -d 5s {authority}{url}",
        f"taskset --cpu-list {cores} wrk -t 1 -c 64 -d 5s --latency {url}",
    ]
