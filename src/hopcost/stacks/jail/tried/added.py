"""What a configuration needs besides what it says itself, as its nginx told: learnt one complaint after the other."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from hopcost.nginx.edits import Edit
from hopcost.nginx.read import ConfigurationText
from hopcost.nginx.tree import walk

CERTIFICATE, KEY = "/etc/nginx/hopcost-more.pem", "/etc/nginx/hopcost-more.key"


class Added(msgspec.Struct, frozen=True):
    """What is made or changed so that this nginx starts. `edits` drop what it does not know."""

    edits: list[Edit] = []
    modules: list[str] = []  # paths, in the order in which they must be loaded
    refused: list[str] = []  # modules that cannot be loaded
    variables: list[str] = []
    has_certificate: bool = False  # one for all servers that lack one
    certificates: list[str] = []  # paths of those that the configuration names in ways of its own
    keys: list[str] = []
    folders: list[str] = []
    files: list[str] = []
    users: list[str] = []
    groups: list[str] = []
    hosts: list[str] = []
    addresses: list[str] = []
    notes: list[str] = []

    def all_edits(self, text: ConfigurationText) -> list[Edit]:
        """All changes of the text; none changes the number of a line."""
        edits = list(self.edits)
        if self.modules:
            edits.append(Edit(text.main, 0, 0, "".join(f"load_module {path}; " for path in self.modules)))
        more = "".join(f' map $host ${name} {{ default ""; }}' for name in self.variables)
        if self.has_certificate:
            more += f" ssl_certificate {CERTIFICATE}; ssl_certificate_key {KEY};"
        if more:
            http = next(directive for directive, parents in walk(text) if directive.name == "http" and not parents)
            edits.append(Edit(http.file, http.opens, http.opens, more))
        return edits


def merge_edits(edits: Iterable[Edit]) -> list[Edit]:
    """Edits that can be made together: of two that touch one place the larger one. What is put before it stays."""
    kept: list[Edit] = []
    for edit in sorted(
        dict.fromkeys(edits), key=lambda edit: (edit.file, edit.start, edit.end > edit.start, -edit.end)
    ):
        last = kept[-1] if kept else None
        if last is not None and last.file == edit.file and edit.start < last.end:
            if edit.end - edit.start > last.end - last.start:
                kept[-1] = edit
            continue
        kept.append(edit)
    return kept
