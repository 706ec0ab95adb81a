"""What it takes until an nginx starts with a configuration: it is started in a jail, and its complaints are mended.

`nginx -t` alone proves nothing: it does not run what Lua does when nginx starts. So it is started, and asked.
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from hopcost.errors import UsageError
from hopcost.nginx.edits import Edit
from hopcost.nginx.needs import Needs, find_needs
from hopcost.nginx.read import ConfigurationText, read_configuration
from hopcost.stacks.jail.made.contents import contents_of
from hopcost.stacks.jail.plain.copy import REWRITTEN, copied, free_ports, plain_command, plain_script, root_of
from hopcost.stacks.jail.possible import why_no_jail
from hopcost.stacks.jail.tried.added import Added, merge_edits
from hopcost.stacks.jail.tried.complaints import read_complaints
from hopcost.stacks.jail.tried.mend import blank, mend
from hopcost.stacks.jail.tried.start import (
    NAME,
    Attempt,
    Tried,
    attempt_in_jail,
    jail_net,
    nginx_command,
    try_once,
)
from hopcost.stacks.jail.version import NginxVersion, nginx_version
from hopcost.stacks.sandbox import network
from hopcost.suites.arms.configuration import Configuration

MOST_STARTS = 40
OURS = ("daemon", "worker_cpu_affinity", "worker_priority")
WITHOUT_JAIL = "run as root, or allow unprivileged user namespaces (in a container: --cap-add SYS_ADMIN and NET_ADMIN)"


class Outcome(msgspec.Struct, frozen=True):
    """With what was `added`, this `nginx` starts with the configuration and takes connections.

    `edits` are the changes of its text that all arms get, `notes` what differs from the user's files, in words: none if
    they run unchanged. `warnings` are what nginx says when it starts. `why_no_jail` is why a rewritten copy runs; None
    if the files themselves run, in a jail.
    """

    nginx: NginxVersion
    text: ConfigurationText
    needs: Needs
    added: Added
    edits: list[Edit]
    notes: list[str]
    warnings: list[str]
    why_no_jail: str | None = None

    @property
    def addresses(self) -> list[str]:
        """What the loopback must have besides its own."""
        return list(dict.fromkeys([*self.needs.addresses, *self.added.addresses]))


_known: dict[tuple[str, str, str], Outcome] = {}


def outcome_of(configuration: Configuration) -> Outcome:
    """What this nginx needs to start with these files, whatever edits a configuration has besides.

    The first time that takes a second or more; it is known then. UsageError with file and line if nginx refuses them.
    """
    text = read_configuration(Path(configuration.file))
    if configuration.digest not in (None, text.digest):
        raise UsageError(f"{configuration.file}: its files are not what they were when this began", "begin again")
    key = (configuration.file, text.digest, configuration.nginx)
    if key not in _known:
        _known[key] = _find_outcome(configuration, text, nginx_version(configuration.nginx))
    return _known[key]


def forget() -> None:
    """What was learned: whether there can be a jail may have changed."""
    _known.clear()


def jail_refused() -> str | None:
    """Why this machine allows no jail; None if it does."""
    return why_no_jail() or network.find_network().why


def _find_outcome(configuration: Configuration, text: ConfigurationText, nginx: NginxVersion) -> Outcome:
    needs = find_needs(text)
    added = _without_ours(text, needs)
    output = ""
    for _ in range(MOST_STARTS):
        tried = _try(configuration, text, needs, added, nginx)
        if tried.runs:
            return _outcome(text, needs, added, nginx, tried)
        output = tried.output
        mended = (mend(complaint, text, added, nginx) for complaint in read_complaints(output))
        more = next((mended_text for mended_text in mended if mended_text is not None), None)
        if more is None:
            break
        added = more
    raise _refusal(text, nginx, output)


def _try(
    configuration: Configuration, text: ConfigurationText, needs: Needs, added: Added, nginx: NginxVersion
) -> Tried:
    edits = merge_edits([*needs.edits, *added.all_edits(text)])
    contents = contents_of(NAME, text, needs, added, edits, nginx, host=configuration.host, cores=1, sockets={})
    if jail_refused() is None:
        net = jail_net(list(dict.fromkeys([*needs.addresses, *added.addresses])))
        command, port = nginx_command(nginx, text), configuration.port
        return try_once(lambda directory: attempt_in_jail(directory, contents, command, port), net, configuration.host)

    def attempt(directory: Path) -> Attempt:
        root = root_of(directory, NAME)
        ports = {port: free_ports().take() for port in needs.ports}
        hosts = [*needs.hosts, *added.hosts]
        copy = copied(NAME, contents, text, edits, nginx, root=root, ports=ports, hosts=hosts, cores=1)
        script = plain_script(NAME, directory, copy.items, plain_command(nginx, text, root))
        return Attempt(copy, script, is_jailed=False, port=ports[configuration.port])

    return try_once(attempt, None, configuration.host)


def _outcome(text: ConfigurationText, needs: Needs, added: Added, nginx: NginxVersion, tried: Tried) -> Outcome:
    edits = merge_edits([*needs.edits, *added.all_edits(text)])
    notes = list(added.notes)
    if needs.edits:
        notes.append("a certificate is added: a server listens with `ssl` and has none")
    why = jail_refused()
    if why is not None:
        notes.insert(0, f"no jail can be made ({why}): {REWRITTEN}; {WITHOUT_JAIL} for one")
    return Outcome(nginx, text, needs, added, edits, [*text.notes, *notes], tried.output.splitlines(), why)


def _without_ours(text: ConfigurationText, needs: Needs) -> Added:
    """Without what hopcost decides itself: that it stays in the foreground, and on which cores it runs."""
    ours = [directive for directive in needs.of_the_process if directive.name in OURS]
    places = [f"{text.name_of(directive.file)}:{directive.line}: {directive.name}" for directive in ours]
    return Added(
        edits=[blank(text, directive) for directive in ours],
        notes=[f"{place} is left out: hopcost decides that" for place in places],
    )


def _refusal(text: ConfigurationText, nginx: NginxVersion, output: str) -> UsageError:
    """nginx's own words, with the user's names of the files."""
    complaints = read_complaints(output)
    if not complaints:
        return UsageError(f"{text.file}: nginx {nginx.text} does not start with it: {output or 'it says nothing'}")
    words = re.sub(r" in /\S+:\d+$", "", complaints[0].text)
    place = f"{text.name_of(complaints[0].file)}:{complaints[0].line}" if complaints[0].file else str(text.file)
    return UsageError(
        f"{place}: nginx {nginx.text} refuses it: {words}",
        "mend it, or name the nginx that it was written for: --nginx BINARY",
    )
