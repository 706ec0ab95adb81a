"""A program's words about its configuration, and the lines that they name."""

from __future__ import annotations

import pytest

from hopcost.stacks.running.failure import quote_named_lines

FILES = {"nginx.conf": "".join(f"line {number} of nginx\n" for number in range(1, 9)), "hello.py": "import x\n"}


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ('nginx: [emerg] unknown directive "grip" in /tmp/hopcost-stack-x/nginx.conf:3', "nginx.conf 3"),
        ("AH00526: Syntax error on line 3 of /tmp/hopcost-stack-x/nginx.conf:\nInvalid command", "nginx.conf 3"),
        ('  File "/tmp/hopcost-stack-x/hello.py", line 1, in <module>', "hello.py 1"),
        ("nothing is named", ""),
        ("in /etc/not-nginx.conf:3", ""),
        ("in nginx.conf:99", ""),
    ],
)
def test_the_line_that_is_named_is_shown(words: str, named: str) -> None:
    text = quote_named_lines(words, FILES)
    shown = [line for line in text.splitlines() if line.startswith(">")]
    assert " ".join([text.partition(",")[0], *[line.split()[1] for line in shown]]).strip() == named


def test_neighbours_are_shown_and_the_same_line_once() -> None:
    assert quote_named_lines("nginx.conf:1 and again nginx.conf:1", FILES).splitlines() == [
        "nginx.conf, as it was generated:",
        ">   1  line 1 of nginx",
        "    2  line 2 of nginx",
    ]
