"""Names of a suite that refer to nothing, that are there twice, or that are taken; then all other checks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hopcost.errors import UsageError
from hopcost.suites.arms.arm import COPY_SUFFIX, Link
from hopcost.suites.checks.claims import check_claims
from hopcost.suites.checks.hops import check_apps, check_configurations
from hopcost.suites.checks.known import refuse_unknown
from hopcost.suites.checks.load import check_load
from hopcost.suites.experiments.experiment import Experiment
from hopcost.suites.experiments.tls_sessions import TlsSessions
from hopcost.suites.suite import Suite


def check_suite(suite: Suite, path: Path) -> None:
    """Names that refer to nothing, the same name twice or taken, an arm that is not in the experiment."""
    for name, content in suite.arms.items():
        if content.server is not None:
            raise UsageError(f"{path}: arms.{name}: server: not in a suite's file", "hopcost vs URL URL")
        if not content.hops:
            raise UsageError(
                f"{path}: arms.{name}: hops: expected at least one", "from the client's side to the origin"
            )
    seen: set[str] = set()
    for number, experiment in enumerate(suite.experiments):
        where = f"{path}: experiments[{number}] ({experiment.name})"
        if experiment.name in seen:
            raise UsageError(f"{where}: name: a second experiment of this name", "give it another one")
        seen.add(experiment.name)
        for arm in experiment.arms:
            refuse_unknown(arm, suite.arms, f"{where}: arms: no [arms.{arm}] in this file")
        if len(set(experiment.arms)) != len(experiment.arms):
            raise UsageError(
                f"{where}: arms: the same arm twice", "the baseline's second run is added by hopcost itself"
            )
        for arm in experiment.arms:
            if arm.endswith(COPY_SUFFIX) and (first := arm.removesuffix(COPY_SUFFIX)) in experiment.arms:
                raise UsageError(
                    f"{where}: arms: '{arm}' is what hopcost calls the second run of '{first}'", "give it another name"
                )
        refuse_unknown(
            experiment.baseline, experiment.arms, f"{where}: baseline: '{experiment.baseline}' is not one of its arms"
        )
        if suite.arms[experiment.baseline].stand_in:
            raise UsageError(
                f"{where}: baseline: '{experiment.baseline}' is a stand-in", "it runs only where others cannot"
            )
        for arm in experiment.arms:
            if suite.arms[arm].hops[0].link in (Link.FASTCGI_TCP, Link.FASTCGI_UNIX):
                raise UsageError(
                    f"{where}: arms: '{arm}' is reached over {suite.arms[arm].hops[0].link.value}",
                    "the client speaks HTTP: the first hop's link is http+tcp, http+unix, https+tcp or http2+tls",
                )
        programs = {hop.program for arm in experiment.arms for hop in suite.arms[arm].hops}
        for program in experiment.settings:
            refuse_unknown(program, programs, f"{where}: settings: no arm uses the program '{program}'")
        check_load(experiment, programs, where)
        _check_over_tls(experiment, [suite.arms[arm].hops[0].link for arm in experiment.arms], where)
        _check_restart(experiment, suite, where)
    for name, content in suite.arms.items():
        for program in content.settings:
            own = {hop.program for hop in content.hops}
            refuse_unknown(program, own, f"{path}: arms.{name}: settings: no hop of it is the program '{program}'")
    check_apps(suite, path)
    check_configurations(suite, path)
    check_claims(suite.claims, suite.experiments, suite.arms, path)


def _check_over_tls(experiment: Experiment, first_links: Sequence[Link], where: str) -> None:
    """What is about HTTP/2 or TLS needs a first hop that is reached so."""
    workload = experiment.workload
    if workload.streams > 1 and not any(link.is_http2 for link in first_links):
        raise UsageError(f"{where}: workload: streams: no arm's first hop is reached over http2+tls")
    if workload.tls_sessions is not TlsSessions.RESUMED and not any(link.is_tls for link in first_links):
        raise UsageError(f"{where}: workload: tls_sessions: no arm's first hop is reached over TLS")


def _check_restart(experiment: Experiment, suite: Suite, where: str) -> None:
    """Each arm has the program that is restarted."""
    if experiment.restart is None:
        return
    for arm in experiment.arms:
        own = {hop.program for hop in suite.arms[arm].hops}
        refuse_unknown(
            experiment.restart.program, own, f"{where}: restart: '{arm}' has no '{experiment.restart.program}'"
        )
