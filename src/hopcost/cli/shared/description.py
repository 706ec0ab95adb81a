"""A stack in words that a sceptic can paste into a shell: its URL, commands and generated files."""

from __future__ import annotations

import shlex
from pathlib import Path

from hopcost.record.secrets import mask_environment, mask_headers, mask_text, mask_words
from hopcost.stacks.client.address import Address
from hopcost.stacks.prepare.prepared import PreparedHop, PreparedStack
from hopcost.suites.experiments.mix import requests_of
from hopcost.suites.experiments.request import Method
from hopcost.suites.experiments.workload import Workload


def describe_stack(stack: PreparedStack, folder: Path, workload: Workload, *, is_running: bool) -> str:
    """Several lines of text, secrets masked; `folder` is where the files are, or would be if it were running."""
    cores = ",".join(str(core) for core in stack.cores.stack)
    requests = [request.workload for request in requests_of(workload)]
    lines = [
        f"stack:  {stack.arm}",
        *[f"URL:    {stack.address.url}{mask_text(request.target)}" for request in requests],
        f"folder: {folder}",
        f"cores:  stack {cores}, generator {','.join(map(str, stack.cores.generator))}",
    ]
    lines += ["", "try it:" if is_running else "try it, once hopcost up has started it:"]
    for request in requests:
        lines += [f"  {line}" for line in _checks(stack.address, request, stack.cores.generator)]
    for hop in reversed(stack.hops):
        settings = ", ".join(f"{key} = {str(value).lower()}" for key, value in hop.settings.items())
        lines += [
            "",
            f"{hop.name} ({' '.join(filter(None, [hop.program, hop.version]))}), reached over {hop.address.link}"
            f" at {hop.address.address}",
        ]
        lines += [f"  settings: {settings}"] if settings else []
        lines += [f"  configuration: {hop.config}"] if hop.config else []
        lines += _own_configuration(hop)
        where, variables = hop.folder or str(folder), [f"{name}={value}" for name, value in _variables(hop).items()]
        words = shlex.join([*(["env", *variables] if variables else []), *mask_words(hop.command)])
        lines += [f"  $ cd {shlex.quote(where)} && taskset --cpu-list {cores} {words}"]
    for hop in stack.hops:
        for name, text in hop.shown_files.items():
            lines += ["", f"{folder}/{name}:", *[f"  {line}".rstrip() for line in mask_text(text).splitlines()]]
    return "\n".join(lines) + "\n"


def _own_configuration(hop: PreparedHop) -> list[str]:
    """The user's own nginx.conf: what differs from it, and what runs beside its jail."""
    if hop.configuration is None or hop.jail is None:
        return []
    notes = hop.jail.notes or ["your files unchanged"]
    helpers = [f"  $ {shlex.join(command)}" for command in hop.jail.helpers.values()]
    return [f"  configuration: {hop.configuration.file}", *(f"  {note}" for note in notes), *helpers]


def _variables(hop: PreparedHop) -> dict[str, str]:
    """The variables that it gets: hopcost's own as they are, the user's masked."""
    return hop.environment | (mask_environment(hop.app.environment) if hop.app is not None else {})


def _checks(address: Address, workload: Workload, generator: list[int]) -> list[str]:
    cores = ",".join(str(core) for core in generator)
    masked = mask_headers(workload.header_fields)
    fields = "".join(f"-H {shlex.quote(f'{name}: {value}')} " for name, value in masked)
    connections, method = workload.connections, workload.method
    target = mask_text(workload.target)
    body, asking, loading = "", "", ""
    if method.uploads:
        asking = f"-X {method.value} --data-binary @- "
        text = None if workload.body_text is None else mask_text(workload.body_text)
        body = f"head -c {workload.body_bytes} /dev/zero | " if text is None else f"printf %s {shlex.quote(text)} | "
    elif method is not Method.GET:
        asking = "--head " if method is Method.HEAD else f"-X {method.value} "
        loading = f"-m {method.value} "
    if address.is_unix:
        return [f"{body}curl -i {asking}{fields}--unix-socket {address.address} http://localhost{target}"]
    url = f"{address.url}{target}"
    trust = f"--cacert {address.ca_file} " if address.is_tls else ""
    authority = f"--ca {address.ca_file} " if address.is_tls else ""
    if body:
        return [f"{body}curl -i {trust}{asking}{fields}{url}"]
    load = f"taskset --cpu-list {cores} hopcost load -c {connections} -d 5s"
    if address.is_http2:
        return [
            f"curl -i --http2 {trust}{asking}{fields}{url}",
            f"{load} --http2 --streams {workload.streams} {authority}{loading}{fields}{url}",
        ]
    wrk = f"taskset --cpu-list {cores} wrk -t 1 -c {connections} -d 5s --latency {fields}{url}"
    return [
        f"curl -i {trust}{asking}{fields}{url}",
        f"{load} {authority}{loading}{fields}{url}",
        *([wrk] if method is Method.GET else []),
    ]
