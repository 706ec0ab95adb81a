"""What would show a change that this load does not: the options that are named exist."""

from __future__ import annotations

import re

from places import ROOT

OPTION = re.compile(r"--[a-z][a-z-]+")


def test_every_option_that_is_named_is_one_of_conf() -> None:
    folders = [ROOT / "src/hopcost/nginx/ablations", ROOT / "src/hopcost/measure/protocols/conf"]
    texts = [path.read_text(encoding="utf-8") for folder in folders for path in folder.glob("*.py")]
    named = {option for text in texts for option in OPTION.findall(text)}
    help_text = (ROOT / "tests/golden/help/measure/conf.txt").read_text(encoding="utf-8")
    assert {"--path", "--body-bytes"} <= named
    assert named <= set(OPTION.findall(help_text))
