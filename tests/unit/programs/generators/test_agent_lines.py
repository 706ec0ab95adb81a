"""The agent's lines as docs/reference/agent-protocol.md lists them."""

from __future__ import annotations

import re

import msgspec
from places import ROOT

from hopcost.programs.generators.agent import AgentLine


def test_every_kind_that_is_described_is_known() -> None:
    text = (ROOT / "docs" / "reference" / "agent-protocol.md").read_text()
    (table,) = re.findall(r"^## The agent's lines$(.*?)^## ", text, re.DOTALL | re.MULTILINE)
    kinds = [
        kind for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)[1:] for kind in re.findall("`(.*?)`", row)
    ]
    union = msgspec.inspect.type_info(AgentLine)
    assert isinstance(union, msgspec.inspect.UnionType)
    known = [line.tag for line in union.types if isinstance(line, msgspec.inspect.StructType)]
    assert kinds == known
