"""Masks command lines, header fields, variables and texts, and knows again what it has masked once."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence

from hopcost.record.secrets.names import MASK, QUERY, is_secret_header, is_secret_name, is_secret_value
from hopcost.record.secrets.patterns import IN_ORDER

LONG_ENOUGH = 6  # characters: a shorter value is not looked for in other texts, it may be a word of its own
OPTION = re.compile(r"--?[A-Za-z][\w.\-]*$")
PAIR = re.compile(r"(?P<name>(?:--?|-D)?[A-Za-z_][\w.\-]*)=(?P<value>.*)$", re.DOTALL)
HEADER_OPTIONS = frozenset({"-H", "--header"})
USER_OPTIONS = frozenset({"-u", "--user", "--proxy-user", "--auth"})
VARIABLE_OPTIONS = frozenset({"-e", "--env", "--environment"})
COMMAND = re.compile(r"[\w-][\w.-]*\.command$")  # `shop.command='serve --port 80'`, a change that a gate measures
RANDOM = re.compile(r"(?=\D*\d)(?=[^A-Za-z]*[A-Za-z])[\w+=.\-]{16,}$")
SCHEMES = re.compile(r"(?i:bearer|basic|digest|token|apikey)\s+")


class Masker:
    """Masks, and remembers the values, so that an app that prints its password into its log does not give it away."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def mask_words(self, words: Sequence[str]) -> list[str]:
        """A command line, word by word."""
        masked: list[str] = []
        option = ""
        for word in words:
            masked.append(self._mask_word(option, word))
            option = word if OPTION.match(word) else ""
        return masked

    def mask_headers(self, pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        """Header fields."""
        return [(name, self._mask_header(name, value)) for name, value in pairs]

    def mask_environment(self, variables: Mapping[str, str]) -> dict[str, str]:
        """An app's own variables: every value, since any of them may be a secret."""
        return {name: self._mask_variable(name, value) for name, value in variables.items()}

    def mask_values(self, values: Mapping[str, str]) -> dict[str, str]:
        """Settings by name: those with a secret name, and what looks like a secret."""
        return {
            name: self._hide(value) if is_secret_name(name) and is_secret_value(value) else self.mask_text(value)
            for name, value in values.items()
        }

    def mask_text(self, text: str) -> str:
        """A configuration, or lines of a log: what looks like a secret, and what was masked elsewhere."""
        for value in sorted(self._known, key=len, reverse=True):
            text = text.replace(value, MASK)
        for pattern in IN_ORDER:
            text = _mask_pattern(pattern, text)
        return text

    def _mask_word(self, option: str, word: str) -> str:
        """A word behind this option, or behind none."""
        if option in HEADER_OPTIONS or word.startswith("-H"):
            name, colon, value = word.partition(":")
            space = value[: len(value) - len(value.lstrip())]
            return f"{name}{colon}{space}{self._mask_header(name.removeprefix('-H'), value.strip())}"
        if option in USER_OPTIONS and ":" in word:
            user, _, password = word.partition(":")
            return f"{user}:{self._hide(password)}"
        pair = PAIR.match(word)
        if pair and COMMAND.match(pair["name"]):
            return f"{pair['name']}={self._mask_command(pair['value'])}"
        if pair and option in VARIABLE_OPTIONS:
            return f"{pair['name']}={self._mask_variable(pair['name'], pair['value'])}"
        if pair and is_secret_name(pair["name"]) and is_secret_value(pair["value"]):
            return f"{pair['name']}={self._hide(pair['value'])}"
        if is_secret_name(option) and not word.startswith("-") and is_secret_value(word):
            return self._hide(word)
        return self._remember(word, self.mask_text(word))

    def _mask_command(self, text: str) -> str:
        """A command in one word. Its quotes stay as they are if nothing in it is masked."""
        try:
            words = shlex.split(text)
        except ValueError:  # a quote is open: no command, but perhaps a secret
            return self.mask_text(text)
        masked = self.mask_words(words)
        return text if masked == words else shlex.join(masked)

    def _mask_header(self, name: str, value: str) -> str:
        if not value or not is_secret_header(name):
            return self._remember(value, self.mask_text(value))
        for cookie in value.split(";"):
            self._hide(cookie.partition("=")[2].strip())
        self._hide(SCHEMES.sub("", value, count=1))
        return self._hide(value)

    def _mask_variable(self, name: str, value: str) -> str:
        """Known again elsewhere only if it is surely a secret: `production` is a word of its own."""
        self._remember(value, self.mask_text(value))
        if is_secret_name(name) or RANDOM.match(value):
            self._hide(value)
        return MASK if value else value

    def _hide(self, value: str) -> str:
        if len(value) >= LONG_ENOUGH and is_secret_value(value):
            self._known.add(value)
        return MASK

    def _remember(self, plain: str, masked: str) -> str:
        """Also know again what a text's patterns masked, if it is one secret: the password of a URL."""
        before, mask, after = masked.partition(MASK)
        if mask and MASK not in after and plain.startswith(before) and plain.endswith(after):
            self._hide(plain[len(before) : len(plain) - len(after)])
        return masked


def _mask_pattern(pattern: re.Pattern[str], text: str) -> str:
    """Each of the pattern's secrets masked. What is no secret is looked into: a pair may stand in another's value."""
    parts: list[str] = []
    copied = at = 0
    while match := pattern.search(text, at):
        begin, end = match.span("secret")
        if _is_secret(match):
            parts += [text[copied:begin], MASK]
            copied = at = end
        else:
            at = max(begin, match.start() + 1)
    return "".join([*parts, text[copied:]])


def _is_secret(match: re.Match[str]) -> bool:
    groups = match.groupdict()
    if "name" in groups and not is_secret_name(groups["name"]):
        return False
    if "query" in groups and not (groups["query"].lower() in QUERY or is_secret_name(groups["query"])):
        return False
    return is_secret_value(match["secret"])
