"""What is done about a complaint of nginx, so that it starts. The configuration's own errors stay."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from hopcost.nginx.edits import Edit
from hopcost.nginx.read import ConfigurationText
from hopcost.nginx.tree import Directive, walk
from hopcost.stacks.jail.tried.added import Added
from hopcost.stacks.jail.tried.complaints import Complaint, Lack
from hopcost.stacks.jail.version import NginxVersion

T = TypeVar("T")

OFF = "removed so that nginx starts"
WRITTEN = re.compile(r"(?:_log|_path|pid|lock_file|_store)$")
CERTIFICATES, KEYS = "ssl_certificate", "ssl_certificate_key"


def mend(complaint: Complaint, text: ConfigurationText, added: Added, nginx: NginxVersion) -> Added | None:
    """What is added then; None if nothing is known to help, or what should have helped is there already."""
    mended = _mend(complaint, text, added, nginx)
    return None if mended is None or mended == added else mended


def _mend(complaint: Complaint, text: ConfigurationText, added: Added, nginx: NginxVersion) -> Added | None:
    what = complaint.what
    match complaint.lack:
        case Lack.DIRECTIVE:
            return _load(what, added, nginx) or _drop(added, text, f"{what}: {_unknown(nginx)}", _called(text, what))
        case Lack.VARIABLE:
            words = f"${what} is empty: {_unknown(nginx)}"
            return replace(added, variables=_with(added.variables, what), notes=_with(added.notes, words))
        case Lack.HOST:
            return replace(added, hosts=_with(added.hosts, re.sub(r":\d+$", "", what).strip("[]")))
        case Lack.NO_CERTIFICATE:
            words = "a certificate was added: a server listens with `ssl` and has none"
            return replace(added, has_certificate=True, notes=_with(added.notes, words))
        case Lack.CERTIFICATE:
            return replace(added, certificates=_with(added.certificates, what))
        case Lack.KEY:
            return replace(added, keys=_with(added.keys, what))
        case Lack.PARAMETER:
            return _drop_word(added, text, complaint, nginx)
        case Lack.DUPLICATE | Lack.FAMILY:
            return _drop(added, text, f"{what}: {complaint.text}", _at(text, complaint))
        case Lack.FOLDER:
            return replace(added, folders=_with(added.folders, posixpath.dirname(what)))
        case Lack.FILE:
            return _mend_file(complaint, text, added)
        case Lack.USER:
            return replace(added, users=_with(added.users, what), groups=_with(added.groups, what))
        case Lack.GROUP:
            return replace(added, groups=_with(added.groups, what))
        case Lack.ADDRESS:
            return replace(added, addresses=_with(added.addresses, re.sub(r":\d+$", "", what).strip("[]")))
        case Lack.SYMBOL:
            return _load_first(what, added, nginx)
        case Lack.MODULE:
            name = posixpath.basename(what)
            lines = [line for line in _called(text, "load_module") if line.first.endswith(name)]
            without = replace(
                added,
                modules=[path for path in added.modules if path != what],
                refused=_with(added.refused, what),
                notes=[note for note in added.notes if not note.startswith(f"{name} is loaded")],
            )
            return without if not lines else _drop(without, text, f"load_module {name}: {complaint.text}", lines)
        case Lack.LUA:
            lines = [directive for directive, _ in walk(text) if "lua" in directive.name]
            return _drop(added, text, f"all Lua: {complaint.text}", lines)
        case Lack.OTHER:
            return None


def _unknown(nginx: NginxVersion) -> str:
    return f"nginx {nginx.text} here does not know it"


def _with(values: list[T], value: T) -> list[T]:
    return values if value in values else [*values, value]


def _called(text: ConfigurationText, name: str) -> list[Directive]:
    return [directive for directive, _ in walk(text) if directive.name == name]


def _at(text: ConfigurationText, complaint: Complaint) -> list[Directive]:
    """The directives that nginx means by a file and the line of their end, or by a word of theirs."""
    if complaint.file:
        ends = (
            directive
            for directive, _ in walk(text)
            if directive.file == complaint.file and _last_line(text, directive) == complaint.line
        )
        return [end for end in ends if complaint.what in (end.name, *end.args) or complaint.what in str(end)]
    words = complaint.what.removeprefix("0.0.0.0:")
    return [line for line in _called(text, "listen") if line.first in (complaint.what, words)]


def _last_line(text: ConfigurationText, directive: Directive) -> int:
    end = directive.end if directive.block is None else directive.opens
    return directive.line + text.files[directive.file].count("\n", directive.start, end)


def _drop(added: Added, text: ConfigurationText, why: str, directives: list[Directive]) -> Added | None:
    """Without these directives; line ends stay, so that nginx's line numbers are the user's."""
    if not directives:
        return None
    edits = list(dict.fromkeys(blank(text, directive) for directive in directives))
    places = ", ".join(_places(text, directives))
    return replace(
        added,
        edits=list(dict.fromkeys([*added.edits, *edits])),
        notes=_with(added.notes, f"{places}: {OFF}: {why}"),
    )


def blank(text: ConfigurationText, directive: Directive) -> Edit:
    """The edit that removes a directive and keeps its line ends."""
    lines = text.files[directive.file].count("\n", directive.start, directive.end)
    return Edit(directive.file, directive.start, directive.end, "\n" * lines)


def _places(text: ConfigurationText, directives: list[Directive], most: int = 3) -> Iterator[str]:
    places = list(dict.fromkeys(f"{text.name_of(directive.file)}:{directive.line}" for directive in directives))
    yield from places[:most]
    if len(places) > most:
        yield f"and {len(places) - most} more"


def _drop_word(added: Added, text: ConfigurationText, complaint: Complaint, nginx: NginxVersion) -> Added | None:
    """Without one word of a directive: `resolve` and `quic` came with later versions."""
    edits, places = [], []
    for directive in _at(text, complaint):
        words = [word for word in directive.words[1:] if word.text == complaint.what]
        if words and len(directive.words) > 2:
            edits += [Edit(directive.file, word.start, word.end, "") for word in words]
            places.append(directive)
    if not edits:
        return None
    note = f"{', '.join(_places(text, places))}: without `{complaint.what}`: {_unknown(nginx)}"
    return replace(added, edits=list(dict.fromkeys([*added.edits, *edits])), notes=_with(added.notes, note))


def _mend_file(complaint: Complaint, text: ConfigurationText, added: Added) -> Added | None:
    """A file that is missing: one to be written needs its folder, one of a certificate is made."""
    path = complaint.what
    names = {directive.name for directive, _ in walk(text) if path.endswith(directive.first) and directive.args}
    if any(WRITTEN.search(name) for name in names) or not names:
        return replace(added, folders=_with(added.folders, posixpath.dirname(path)))
    if any(name.endswith(KEYS) for name in names):
        return replace(added, keys=_with(added.keys, path))
    if any(name.endswith(CERTIFICATES) for name in names):
        return replace(added, certificates=_with(added.certificates, path))
    return None


def _load(name: str, added: Added, nginx: NginxVersion) -> Added | None:
    """With the module that knows a directive, if one is installed."""
    for module in sorted(Path(nginx.modules_path).glob("*.so")):
        is_new = str(module) not in (*added.modules, *added.refused)
        if is_new and f"\0{name}\0".encode() in module.read_bytes():
            note = f"{module.name} is loaded: the configuration uses {name} and does not load it"
            return replace(added, modules=[*added.modules, str(module)], notes=_with(added.notes, note))
    return None


def _load_first(path: str, added: Added, nginx: NginxVersion) -> Added | None:
    """With the development kit before a module that is built on it."""
    kits = [str(module) for module in sorted(Path(nginx.modules_path).glob("ndk*.so"))]
    new = [kit for kit in kits if kit not in added.modules]
    return replace(added, modules=[*new, *added.modules]) if new and path not in new else None
