"""A program's own words about its configuration, with the lines of the generated files that they name."""

from __future__ import annotations

import re
from collections.abc import Mapping

AROUND = 1  # lines before and after the one that is named


def quote_named_lines(words: str, files: Mapping[str, str]) -> str:
    """The lines of generated files that the words name, with their neighbours; empty if they name none.

    >>> files = {"nginx.conf": "http {\\ngrip on;\\n}\\n"}
    >>> print(quote_named_lines("unknown directive \\"grip\\" in /tmp/x/nginx.conf:2", files))
    nginx.conf, as it was generated:
        1  http {
    >   2  grip on;
        3  }
    """
    parts = []
    for name, text in files.items():
        lines = text.splitlines()
        for number in sorted({number for number in _named(words, name) if 0 < number <= len(lines)}):
            around = range(max(1, number - AROUND), min(len(lines), number + AROUND) + 1)
            parts.append(f"{name}, as it was generated:")
            parts += [f"{'>' if at == number else ' '} {at:3}  {lines[at - 1]}".rstrip() for at in around]
    return "\n".join(parts)


def _named(words: str, name: str) -> list[int]:
    """Line numbers of this file: `nginx.conf:17`, `line 17 of /x/apache2.conf`, `File "/x/hello.py", line 17`."""
    file = rf"(?<![\w.-]){re.escape(name)}"
    matches = re.finditer(rf'{file}:(\d+)|[Ll]ine (\d+) of \S*?{file}|{file}"?,? line (\d+)', words)
    return [int(next(group for group in match.groups() if group)) for match in matches]
