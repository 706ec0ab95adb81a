"""Which traps the diff mends whatever that costs: those that no change on trial would mend, as far as all agree."""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.measure.protocols.conf.phases import Trials
from hopcost.measure.protocols.conf.plan import joined
from hopcost.nginx.ablations import Ablation
from hopcost.nginx.edits import Edit
from hopcost.nginx.traps import Trap
from hopcost.statistics.questions.conf.question import FoundTrap


def find_mends(traps: Sequence[Trap], tried: Sequence[Ablation], trials: Trials) -> tuple[list[FoundTrap], list[Edit]]:
    """All traps, and the edits of those that the diff mends: nginx starts with them, and answers are as before.

    What a change on trial would mend only costs CPU time, and is mended if that change saves some.
    """
    told: list[FoundTrap] = []
    mends: list[Edit] = []
    for trap in traps:
        edits = trap.edits or ()
        change = next((ablation.name for ablation in tried if set(edits) & set(ablation.edits)), None)
        together = joined(mends, edits)
        is_mended = bool(edits) and change is None and not _is_refused(together, trials)
        if is_mended:
            mends = together
        told.append(FoundTrap(trap.name, trap.words, str(trap.place), is_mended, change))
    return told, mends


def _is_refused(edits: Sequence[Edit], trials: Trials) -> bool:
    return trials.refusal(edits) is not None or trials.app_refusal(edits) is not None
