"""Keys, passwords, tokens and cookies are masked on their way into a record and onto the screen.

The measurement itself uses the true values. What is masked stays recognisable: `postgresql://app:(masked)@db/shop`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hopcost.record.secrets.masker import Masker
from hopcost.record.secrets.names import MASK

__all__ = ["MASK", "Masker", "mask_environment", "mask_headers", "mask_text", "mask_words"]


def mask_words(words: Sequence[str]) -> list[str]:
    """A command line, word by word.

    >>> mask_words(["serve", "--password", "x", "--token=y", "KEY_ID=3", "API_KEY=z", "--workers", "4"])
    ['serve', '--password', '(masked)', '--token=(masked)', 'KEY_ID=3', 'API_KEY=(masked)', '--workers', '4']
    >>> mask_words(["-H", "Authorization: Bearer abc", "postgresql://app:pw@db/shop", "-u", "me:pw"])
    ['-H', 'Authorization: (masked)', 'postgresql://app:(masked)@db/shop', '-u', 'me:(masked)']
    """
    return Masker().mask_words(words)


def mask_headers(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Header fields.

    >>> mask_headers([("Accept", "text/html"), ("X-Api-Key", "abc"), ("Cookie", "id=1")])
    [('Accept', 'text/html'), ('X-Api-Key', '(masked)'), ('Cookie', '(masked)')]
    """
    return Masker().mask_headers(pairs)


def mask_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """An app's own variables: every value, since any of them may be a secret.

    >>> mask_environment({"STRIPE": "abc", "EMPTY": ""})
    {'STRIPE': '(masked)', 'EMPTY': ''}
    """
    return Masker().mask_environment(variables)


def mask_text(text: str) -> str:
    """A configuration, or lines of a log.

    >>> mask_text('proxy_set_header Authorization "Basic YTpi"; server_tokens off;')
    'proxy_set_header Authorization "(masked)"; server_tokens off;'
    """
    return Masker().mask_text(text)
