"""Suite files with one thing changed, and a good one to change."""

from __future__ import annotations

from pathlib import Path

GOOD = """
name = "mine"
title = "Mine"

[article]
title = "Fast"
author = "somebody"
date = "2020-01-01"
source = "a blog"

[arms.direct]
hops = [{ program = "app", link = "http+tcp" }]

[arms.behind]
title = "behind a proxy"
hops = [
  { program = "proxy", link = "http+tcp", settings = { workers = 2 }, port = 8080 },
  { program = "app", link = "fastcgi+unix" },
]

[arms.unused]
hops = [{ program = "other", link = "http+tcp" }]

[[experiments]]
name = "first"
question = "What does it cost?"
baseline = "direct"
arms = ["direct", "behind"]
placement = "one-core"
settings = { app = { threads = "cores" } }
workload = { connections = 32, target = "/x", timeout_s = 3 }
control = "direct"
published_conditions = "elsewhere"
published = [
  { arm = "direct", throughput_per_s = 1000 },
  { arm = "behind", throughput_per_s = 900.5, errors = { timeout = 3 } },
]

[[experiments]]
name = "second"
question = "And on all cores?"
baseline = "direct"
arms = ["direct"]
placement = "all-cores"
"""


def write(folder: Path, old: str = "", new: str = "", text: str = GOOD) -> str:
    """The path of the suite as a file, with `old` replaced once."""
    assert old in text
    path = folder / "mine.toml"
    path.write_text(text.replace(old, new, 1) if old else text, encoding="utf-8")
    return str(path)
