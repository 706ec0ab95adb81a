"""One hop of a stack: its settings, its executable, its command line and files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from hopcost.errors import CannotMeasure, UsageError
from hopcost.programs import content, read
from hopcost.programs.content import CONTENT, ROUTES
from hopcost.programs.definition import templates
from hopcost.programs.receipt import receipt_of
from hopcost.stacks.app.command import app_command
from hopcost.stacks.client.address import Address
from hopcost.stacks.jail.prepare import prepare_in_jail
from hopcost.stacks.prepare.fit import check_links
from hopcost.stacks.prepare.prepared import PreparedHop, Shared
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Hop, SettingValue
from hopcost.suites.arms.configuration import Configuration

PID_MAX = Path("/proc/sys/kernel/pid_max")


def prepare_copies(
    shared: Shared, hop: Hop, names: list[str], addresses: list[Address], upstreams: list[Address]
) -> Iterator[PreparedHop]:
    """The copies of one hop, each at its address; all forward to the same `upstreams`."""
    where = f"{shared.where}: {hop.program}"
    check_links(shared.where, read.program_of(hop), hop.link, upstreams)
    if hop.last_copy and hop.copies == 1:
        raise UsageError(f"{where}: last_copy: there is one copy", "copies says how many there are")
    for name, address in zip(names, addresses, strict=True):
        settings = hop.settings_over(shared.settings) | (hop.last_copy if name == names[-1] else {})
        yield _prepare_hop(shared, hop, name, settings, address, upstreams)


def _prepare_hop(
    shared: Shared,
    hop: Hop,
    name: str,
    settings: dict[str, SettingValue],
    address: Address,
    upstreams: list[Address],
) -> PreparedHop:
    """One copy: the settings with their defaults, the executable, and the templates filled in."""
    where = f"{shared.where}: {hop.program}"
    program = read.program_of(hop)
    resolved = program.resolve_settings(settings, len(shared.cores.stack), shared.where)
    if hop.configuration is not None:
        return _prepare_configuration(shared, hop, hop.configuration, name, address, upstreams)
    receipt = receipt_of(hop).under(resolved)
    if receipt.path is None or receipt.version is None:
        raise CannotMeasure(f"{where}: {receipt.missing}", receipt.remedy)
    if hop.config is not None and not program.config:
        raise UsageError(f"{where}: config: it has no configuration file", "leave `config` out")
    if hop.app is not None:
        return _prepare_app(hop, hop.app, name, address, receipt.path)
    context = {
        "name": name,
        "executable": receipt.path,
        "directory": str(shared.directory),
        "content": str(CONTENT),
        "files": str(content.large_files_folder()),
        "routes": ROUTES,
        "listen": address,
        "upstream": upstreams[0] if upstreams else None,
        "upstreams": upstreams,
        "settings": resolved,
        "needs": receipt.needs,
        "open_files": shared.open_files,
        "root": os.geteuid() == 0,
    }
    rendered = templates.render(program, program.folder, context, None if hop.config is None else Path(hop.config))
    _refuse_too_many(f"{shared.where}: {name}", rendered.children)
    return PreparedHop(
        name=name,
        program=hop.program,
        version=receipt.version,
        address=address,
        settings=resolved,
        command=rendered.command,
        files=rendered.files,
        children=rendered.children,
        forks=rendered.forks,
        config=hop.config,
    )


def _prepare_configuration(
    shared: Shared, hop: Hop, configuration: Configuration, name: str, address: Address, upstreams: list[Address]
) -> PreparedHop:
    """The user's own nginx.conf, in a jail."""
    parts = prepare_in_jail(name, configuration, address, upstreams, shared.directory, shared.cores.stack)
    return PreparedHop(
        name=name,
        program=hop.program,
        version=parts.version,
        address=address,
        settings={},
        command=parts.command,
        files=parts.files,
        children=parts.children,
        forks=parts.forks,
        configuration=configuration,
        jail=parts.jail,
    )


def _prepare_app(hop: Hop, app: App, name: str, address: Address, executable: str) -> PreparedHop:
    """The user's own program: nothing is generated for it."""
    words = app_command(app, executable, address)
    return PreparedHop(
        name=name,
        program=hop.program,
        version=app.version,
        address=address,
        settings={},
        command=words.command,
        files={},
        forks=True,
        app=app,
        folder=app.folder,
        environment=words.environment,
    )


def _refuse_too_many(where: str, children: int) -> None:
    """UsageError if a program would start more processes than the machine can have: that would bring it down."""
    most = int(PID_MAX.read_text())
    if children >= most:
        raise UsageError(
            f"{where}: it would start {children:,} processes, and {PID_MAX} allows {most:,}", "set fewer processes"
        )
