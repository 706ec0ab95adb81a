"""A stack in words that a sceptic can paste into a shell: its URL, commands and generated files."""

from __future__ import annotations

import shlex
from pathlib import Path

from hopcost.stacks.address import Address
from hopcost.stacks.prepare import PreparedStack
from hopcost.suites.experiment import Workload


def describe_stack(stack: PreparedStack, folder: Path, workload: Workload) -> str:
    """Several lines of text; `folder` is where the files are, or would be."""
    cores = ",".join(str(core) for core in stack.cores.stack)
    lines = [
        f"arm:    {stack.arm}",
        f"URL:    {stack.address.url}{workload.target}",
        f"folder: {folder}",
        f"cores:  stack {cores}, generator {','.join(map(str, stack.cores.generator))}",
    ]
    lines += ["", "try it:", *[f"  {line}" for line in _checks(stack.address, workload, stack.cores.generator)]]
    for hop in reversed(stack.hops):
        settings = ", ".join(f"{key} = {str(value).lower()}" for key, value in hop.settings.items())
        lines += [
            "",
            f"{hop.name} ({hop.program} {hop.version}), reached over {hop.address.link} at {hop.address.address}",
        ]
        lines += [f"  settings: {settings}"] if settings else []
        lines += [f"  configuration: {hop.config}"] if hop.config else []
        lines += [f"  $ cd {shlex.quote(str(folder))} && taskset --cpu-list {cores} {shlex.join(hop.command)}"]
    for hop in stack.hops:
        for name, text in hop.files.items():
            lines += ["", f"{folder}/{name}:", *[f"  {line}".rstrip() for line in text.splitlines()]]
    return "\n".join(lines) + "\n"


def _checks(address: Address, workload: Workload, generator: list[int]) -> list[str]:
    cores = ",".join(str(core) for core in generator)
    fields = "".join(f"-H {shlex.quote(f'{name}: {value}')} " for name, value in workload.headers)
    connections = workload.connections
    body = ""
    if workload.body_bytes is not None:
        fields = f"-X {workload.method.value} --data-binary @- {fields}"
        body = f"head -c {workload.body_bytes} /dev/zero | "
    if address.is_unix:
        return [f"{body}curl -i {fields}--unix-socket {address.address} http://localhost{workload.target}"]
    url = f"{address.url}{workload.target}"
    trust = f"--cacert {address.ca_file} " if address.is_tls else ""
    authority = f"--ca {address.ca_file} " if address.is_tls else ""
    if body:
        return [f"{body}curl -i {trust}{fields}{url}"]
    return [
        f"curl -i {trust}{fields}{url}",
        f"taskset --cpu-list {cores} hopcost load -c {connections} -d 5s {authority}{fields}{url}",
        f"taskset --cpu-list {cores} wrk -t 1 -c {connections} -d 5s --latency {fields}{url}",
    ]
