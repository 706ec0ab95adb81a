"""What an experiment's requests must not say: header fields, bodies, expected answers, a mix."""

from __future__ import annotations

import re
from collections import Counter

from hopcost.errors import UsageError
from hopcost.suites.experiments.expect import check_expect
from hopcost.suites.experiments.experiment import Experiment
from hopcost.suites.experiments.mix import requests_of
from hopcost.suites.experiments.request import MAX_WEIGHTS, HeaderField, MixedRequest
from hopcost.suites.experiments.workload import Workload


def check_requests(experiment: Experiment, where: str) -> None:
    """The workload's request, or each of its mix; the size of a body may be what a sweep says."""
    workload = experiment.workload
    _check_headers(workload.headers, f"{where}: workload.headers")
    check_expect(workload.expect, f"{where}: workload.expect")
    is_swept = experiment.sweep is not None and experiment.sweep.key == "workload.body_bytes"
    if workload.mix is None:
        _check_upload(workload, f"{where}: workload", is_swept=is_swept)
        return
    for number, (mixed, request) in enumerate(zip(workload.mix, requests_of(workload), strict=True)):
        place = f"{where}: workload.mix[{number}]"
        _check_headers(mixed.headers, f"{place}.headers")
        if mixed.expect is not None:
            check_expect(mixed.expect, f"{place}.expect")
        _check_upload(request.workload, place, is_swept=is_swept)
    _check_mix(workload.mix, f"{where}: workload.mix")


def _check_headers(fields: list[HeaderField], where: str) -> None:
    for name, value in fields:
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name) or re.search(r"[\x00-\x1f\x7f]", value):
            raise UsageError(f"{where}: [{name!r}, {value!r}] is no header field", 'like ["Accept", "text/html"]')
        if name.lower() in ("connection", "content-length", "transfer-encoding"):
            raise UsageError(
                f"{where}: {name} is hopcost's own to send",
                "requests_per_connection says how long connections are kept",
            )


def _check_upload(workload: Workload, where: str, *, is_swept: bool) -> None:
    """A body and a method that carries one belong together."""
    method, has_text = workload.method, workload.body_text is not None
    has_bytes = workload.body_bytes is not None or is_swept
    if has_text and has_bytes:
        raise UsageError(f"{where}: both body_bytes and body_text", "body_text says what it carries, and how much")
    if (has_text or has_bytes) and not method.uploads:
        key = "body_text" if has_text else "body_bytes"
        raise UsageError(f"{where}.{key}: a {method.value} carries no body", 'method = "POST", "PUT" or "PATCH"')
    if method.uploads and not (has_text or has_bytes):
        raise UsageError(f"{where}.method: a {method.value} of nothing", "body_bytes says how much it carries")


def _check_mix(mix: list[MixedRequest], where: str) -> None:
    """There are requests, names that are given stand there once, and the weights make a cycle."""
    if not mix:
        raise UsageError(f"{where}: empty", "one entry for each request, or no `mix` for the workload's own")
    for number, mixed in enumerate(mix):
        if mixed.weight == 0:
            raise UsageError(f"{where}[{number}].weight: 0: it would never be sent", "leave it out, or give it 1")
    given = Counter(mixed.name for mixed in mix if mixed.name is not None)
    twice = [name for name, times in given.items() if times > 1]
    if twice:
        raise UsageError(f"{where}: two requests have the name {twice[0]!r}", "reports tell them apart by it")
    total = sum(mixed.weight for mixed in mix)
    if total > MAX_WEIGHTS:
        raise UsageError(
            f"{where}: the weights add up to {total:,}, and {MAX_WEIGHTS:,} is the most",
            "weights are proportions: 1 and 3 do as well as 1000 and 3000",
        )
