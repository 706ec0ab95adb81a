"""What a workload asks: its only request, or those of its mix, each as a workload of its own."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import msgspec

from hopcost.suites.experiments.request import MixedRequest
from hopcost.suites.experiments.workload import Workload


class WeightedRequest(NamedTuple):
    """One request of a workload, as a workload of that request alone."""

    name: str
    weight: int
    workload: Workload


def requests_of(workload: Workload) -> list[WeightedRequest]:
    """What is asked, in the order of the file. Names that are alike get a number."""
    if workload.mix is None:
        return [WeightedRequest(_name(workload), 1, workload)]
    weighted: list[WeightedRequest] = []
    times: Counter[str] = Counter()
    for mixed in workload.mix:
        alone = _alone(workload, mixed)
        name = mixed.name or _name(alone)
        times[name] += 1
        shown = name if times[name] == 1 else f"{name} ({times[name]})"
        weighted.append(WeightedRequest(shown, mixed.weight, alone))
    return weighted


def _name(workload: Workload) -> str:
    """Its method and path. A query may hold secrets, and names stand in records and reports."""
    return f"{workload.method.value} {workload.target.partition('?')[0]}"


def _alone(workload: Workload, mixed: MixedRequest) -> Workload:
    """The workload of this request alone."""
    method = mixed.method or workload.method
    takes_theirs = method.uploads and mixed.body_bytes is None and mixed.body_text is None
    return msgspec.structs.replace(
        workload,
        target=mixed.target or workload.target,
        method=method,
        headers=[*workload.headers, *mixed.headers],
        body_bytes=workload.body_bytes if takes_theirs else mixed.body_bytes,
        body_text=workload.body_text if takes_theirs else mixed.body_text,
        expect=mixed.expect or workload.expect,
        mix=None,
    )
