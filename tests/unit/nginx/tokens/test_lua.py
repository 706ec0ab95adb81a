"""Blocks of Lua end where Lua says: braces in strings, long brackets and comments do not count."""

from __future__ import annotations

import pytest

from hopcost.nginx.tokens import Kind, split_tokens
from hopcost.nginx.tokens.lua import end_of_block


@pytest.mark.parametrize(
    "block",
    [
        "{ if a then return { b = {} } end }",
        "{ local a = '}' }",
        '{ local a = "\\"}" }',
        "{ local a = [[ } ]] .. [==[ ]] } ]==] }",
        "{ -- it's } a comment\n a() }",
        "{ --[[ } \n } ]] a() }",
        "{ a[b[1]] = 2 }",
    ],
)
def test_a_block_ends_at_its_own_brace(block: str) -> None:
    assert end_of_block("x " + block + " }", 2) == 2 + len(block) - 1


@pytest.mark.parametrize("block", ["{ a", "{ [[ }", "{ --[[ }"])
def test_a_block_without_end_has_none(block: str) -> None:
    assert end_of_block(block, 0) is None


def test_a_block_of_lua_is_one_token_and_an_argument_may_stand_before_it() -> None:
    text = "set_by_lua_block $a { return '}' }\nlisten 80;"
    tokens = list(split_tokens(text, "a"))
    assert [token.kind for token in tokens] == [Kind.WORD, Kind.WORD, Kind.LUA, Kind.WORD, Kind.WORD, Kind.END]
    assert tokens[2].text == " return '}' "
    assert tokens[3].line == 2
