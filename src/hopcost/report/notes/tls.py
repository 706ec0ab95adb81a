"""What arms agreed on in their TLS handshakes: said once, and whether it differs between arms."""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.statistics.summary.summary import ArmSummary

DIFFERS = "stacks speak TLS differently, and their CPU time includes that: "


def tls_lines(arms: Sequence[ArmSummary]) -> list[str]:
    """One line with what the arms agreed on; none without TLS. Resumed sessions of TLS 1.2 have no group."""
    words = {arm.name: " or ".join(dict.fromkeys(own.words() for own in arm.tls)) for arm in arms if arm.tls}
    if not words:
        return []
    if len(set(words.values())) == 1:
        return [f"TLS of {', '.join(words)}: {next(iter(words.values()))}"]
    return [DIFFERS + "; ".join(f"{name}: {agreed}" for name, agreed in words.items())]
