"""Everything that can contradict itself in a suite file: names, claims, protocols, published figures."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import msgspec

from hopcost.errors import UsageError, nearest
from hopcost.suites.arms.app import PORT, SOCKET, read_service
from hopcost.suites.arms.arm import COPY_SUFFIX, Arm, Hop, Link
from hopcost.suites.articles.claim import TOLERANCE, Claim, ClaimFigure, ClaimTest, Relation, published_ratio, reference
from hopcost.suites.articles.published import Protocol, Published, Value, label, quantile, same
from hopcost.suites.experiments.expect import check_expect
from hopcost.suites.experiments.experiment import Experiment, Slices
from hopcost.suites.experiments.sweep import experiment_at
from hopcost.suites.suite import Suite


def check_claims(
    claims: Sequence[Claim], experiments: Sequence[Experiment], arms: Mapping[str, Arm], path: object
) -> None:
    """UsageError for a name that refers to nothing, twice the same name, and what does not go together."""
    known = {experiment.name: experiment for experiment in experiments}
    seen: set[str] = set()
    for number, claim in enumerate(claims):
        where = f"{path}: claims[{number}] ({claim.name})"
        if claim.name in seen:
            raise UsageError(f"{where}: name: a second claim of this name")
        seen.add(claim.name)
        if (claim.needs.cores > 1 or claim.needs.link_mbit_per_s) and not claim.needs.because:
            raise UsageError(f"{where}: needs.because: missing", "why: it is shown if that is missing")
        for index, test in enumerate(claim.tests):
            place = f"{where}: tests[{index}]"
            if test.experiment not in known:
                raise UsageError(
                    f"{place}: experiment: no experiment '{test.experiment}'", nearest(test.experiment, known)
                )
            _check_test(test, known[test.experiment], arms, place)


def _check_test(test: ClaimTest, experiment: Experiment, arms: Mapping[str, Arm], where: str) -> None:
    for key, name in (("arm", test.arm), ("to", test.to)):
        if name is not None and name not in experiment.arms:
            raise UsageError(
                f"{where}: {key}: '{name}' is not an arm of {experiment.name}", nearest(name, experiment.arms)
            )
    values = experiment.sweep.values if experiment.sweep is not None else []
    if values and not test.at:
        raise UsageError(f"{where}: at: missing", f"values of the sweep: {', '.join(map(label, values))}")
    if test.at and not values:
        raise UsageError(f"{where}: at: {experiment.name} has no sweep", "leave it out")
    for value in test.at:
        if not any(same(value, swept) for swept in values):
            raise UsageError(
                f"{where}: at: {label(value)} is not a value of the sweep", nearest(label(value), map(label, values))
            )
    if len({label(value) for value in test.at}) != len(test.at):
        raise UsageError(f"{where}: at: a value stands there twice")
    _check_figure(test, experiment, where)
    if test.hop is not None:
        for name in (test.arm, reference(test, experiment)):
            programs = [hop.program for hop in arms[name].hops]
            if programs.count(test.hop) != 1:
                raise UsageError(f"{where}: hop: '{name}' has no single hop '{test.hop}'", nearest(test.hop, programs))


def _check_figure(test: ClaimTest, experiment: Experiment, where: str) -> None:
    """What goes with the figure: a relation that can be said of it, another arm, a size, a soak."""
    figure, relation = test.figure, test.relation
    if relation.is_of_errors is not (figure is ClaimFigure.ERRORS):
        raise UsageError(
            f'{where}: relation: "{relation.value}" cannot be said of {figure.value}',
            '"some" and "none" are said of errors, all others of ratios and drifts',
        )
    if figure.is_ratio:
        if reference(test, experiment) == test.arm:
            raise UsageError(f"{where}: to: '{test.arm}' would be compared with itself", "name the other arm: to = …")
    elif test.to is not None:
        raise UsageError(f"{where}: to: {figure.value} are one arm's own", "leave it out")
    if figure in (ClaimFigure.DRIFT, ClaimFigure.MEMORY_DRIFT) and experiment.soak is None:
        raise UsageError(f"{where}: figure: {experiment.name} is no soak", "a drift is seen over a soak alone")
    if test.hop is not None and figure is not ClaimFigure.CPU_PER_REQUEST:
        raise UsageError(f"{where}: hop: {figure.value} is not told by hop", 'figure = "cpu_per_request"')
    if relation.has_size is not (test.size is not None):
        raise UsageError(
            f'{where}: size: {"missing" if relation.has_size else "not with"} for "{relation.value}"',
            '"at least", "at most" and "about" have a size, the other relations none',
        )
    if test.tolerance != TOLERANCE and relation is not Relation.ABOUT:
        raise UsageError(f'{where}: tolerance: not with "{relation.value}"', 'it belongs to "about"')
    if test.published is not None:
        bare = msgspec.structs.replace(test, published=None)
        if any(published_ratio(bare, experiment, value) is not None for value, _ in test.points):
            raise UsageError(f"{where}: published: the experiment's own figures give it", "leave it out")
        if not figure.is_ratio:
            raise UsageError(f"{where}: published: not for {figure.value}", "it is a ratio")


def check_protocol(protocol: Protocol, where: str) -> None:
    """One end for a repeat, and one that the tool knows."""
    if (protocol.requests is None) == (protocol.duration_s is None):
        raise UsageError(f"{where}: as_published: expected either requests or duration_s", "one of the two, not both")
    if protocol.requests is not None and protocol.peer == "wrk":
        raise UsageError(f"{where}: as_published: requests: wrk only knows a duration", "duration_s = 30")


def check_rows(
    rows: list[Published], arms: list[str], points: list[Value] | None, control: str | None, where: str
) -> None:
    """Each arm's figures once (per point of a sweep), with something in them; the control group among them.

    `points` are the values of the experiment's sweep, None without one.
    """
    seen: set[tuple[str, str]] = set()
    for row in rows:
        place = f"{where}: published: '{row.arm}'"
        if row.arm not in arms:
            raise UsageError(f"{place} is not one of its arms", nearest(row.arm, arms))
        if points is None and row.at is not None:
            raise UsageError(f"{place}: at: the experiment has no sweep", "at names a value of the sweep")
        if points is not None and not any(same(row.at, value) for value in points):
            wrong = "missing" if row.at is None else f"{label(row.at)} is not a value of the sweep"
            raise UsageError(f"{place}: at: {wrong}", nearest(label(row.at or ""), map(label, points)))
        if (row.arm, label(row.at)) in seen:
            raise UsageError(f"{place} stands there twice" + (f" at {label(row.at)}" if points else ""))
        seen.add((row.arm, label(row.at)))
        if row.throughput_per_s is None and not row.has_errors:
            raise UsageError(
                f"{place}: throughput_per_s: missing", "where the article printed an error instead: errored = true"
            )
        for name in row.latency_quantiles_ms:
            if quantile(name) is None:
                raise UsageError(f"{place}: latency_quantiles_ms: '{name}'", "p50, p99 or p99.9, in ms")
    published = sorted({row.arm for row in rows})
    if len(published) > 1 and control is None:
        raise UsageError(f"{where}: control: missing, and published ratios are taken to it", nearest("", published))
    if control is not None and control not in published:
        hint = nearest(control, published) if published else "an article's figures stand in [[experiments.published]]"
        raise UsageError(f"{where}: control: '{control}' is not published", hint)


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
            raise UsageError(f"{where}: name: a second experiment of this name")
        seen.add(experiment.name)
        for arm in experiment.arms:
            _known(arm, suite.arms, f"{where}: arms: no [arms.{arm}] in this file")
        if len(set(experiment.arms)) != len(experiment.arms):
            raise UsageError(
                f"{where}: arms: the same arm twice", "the baseline's second run is added by hopcost itself"
            )
        for arm in experiment.arms:
            if arm.endswith(COPY_SUFFIX) and (first := arm.removesuffix(COPY_SUFFIX)) in experiment.arms:
                raise UsageError(
                    f"{where}: arms: '{arm}' is what hopcost calls the second run of '{first}'", "give it another name"
                )
        _known(
            experiment.baseline, experiment.arms, f"{where}: baseline: '{experiment.baseline}' is not one of its arms"
        )
        if suite.arms[experiment.baseline].stand_in:
            raise UsageError(
                f"{where}: baseline: '{experiment.baseline}' is a stand-in", "it runs only where others cannot"
            )
        for arm in experiment.arms:
            if suite.arms[arm].hops[0].link not in (Link.HTTP_TCP, Link.HTTP_UNIX, Link.HTTPS_TCP):
                raise UsageError(
                    f"{where}: arms: '{arm}' is reached over {suite.arms[arm].hops[0].link.value}",
                    "the client speaks HTTP: the first hop's link is http+tcp, http+unix or https+tcp",
                )
        programs = {hop.program for arm in experiment.arms for hop in suite.arms[arm].hops}
        for program in experiment.settings:
            _known(program, programs, f"{where}: settings: no arm uses the program '{program}'")
        _check_load(experiment, programs, where)
    for name, content in suite.arms.items():
        for program in content.settings:
            own = {hop.program for hop in content.hops}
            _known(program, own, f"{path}: arms.{name}: settings: no hop of it is the program '{program}'")
    check_apps(suite, path)
    check_configurations(suite, path)
    check_claims(suite.claims, suite.experiments, suite.arms, path)


def check_apps(suite: Suite, path: object) -> None:
    """What an app needs is readable, and each hop that is an app can be told where to listen."""
    for name, app in suite.apps.items():
        for number, need in enumerate(app.needs):
            try:
                read_service(need)
            except UsageError as error:
                raise UsageError(f"{path}: apps.{name}.needs[{number}]: {error.message}", error.hint) from error
    for name, arm in suite.arms.items():
        for number, hop in enumerate(arm.hops):
            _check_app_of(hop, suite, f"{path}: arms.{name}.hops[{number}]")


def _check_app_of(hop: Hop, suite: Suite, where: str) -> None:
    """The hop's link fits what the app's command and environment ask for."""
    app = suite.apps.get(hop.program)
    if hop.app is not None and hop.app != app:
        raise UsageError(f"{where}: app: not in a hop", f"write it as [apps.{hop.program}]")
    if app is None:
        return
    if hop.link.is_unix:
        if app.mentions(PORT) or app.port is not None:
            what = "it has a `port`" if app.port is not None else f"it is told a port ({PORT})"
            link = hop.link.value.replace("unix", "tcp")
            hint = f"{SOCKET} in its command is the socket's path; or give it the link {link}"
            raise UsageError(f"{where}: {hop.program} is reached over {hop.link.value}, and {what}", hint)
    elif app.mentions(SOCKET):
        hint = f"give it the link {hop.link.value.replace('tcp', 'unix')}, or {PORT} in its command"
        raise UsageError(
            f"{where}: {hop.program} is told a socket ({SOCKET}), and is reached over {hop.link.value}", hint
        )
    if hop.port is not None and app.port is not None and hop.port != app.port:
        raise UsageError(f"{where}: port: {hop.program} listens on {app.port}", "leave `port` out of the hop")


def check_configurations(suite: Suite, path: object) -> None:
    """A configuration is the first hop of its arms, and has one hop after it: that stands for its upstream."""
    for name in suite.configurations:
        if name in suite.apps:
            raise UsageError(
                f"{path}: configurations.{name}: an app has this name too", "give one of them another name"
            )
    for name, arm in suite.arms.items():
        for number, hop in enumerate(arm.hops):
            _check_configuration_of(arm, number, hop, suite, f"{path}: arms.{name}.hops[{number}]")


def _check_configuration_of(arm: Arm, number: int, hop: Hop, suite: Suite, where: str) -> None:
    configuration = suite.configurations.get(hop.program)
    if hop.configuration is not None and hop.configuration != configuration:
        raise UsageError(f"{where}: configuration: not in a hop", f"write it as [configurations.{hop.program}]")
    if configuration is None:
        return
    if number or len(arm.hops) > 2:
        raise UsageError(
            f"{where}: {hop.program} is your own configuration: it is the first hop, with at most one after it",
            "the hop after it takes the place of its upstream",
        )
    given = {"port": hop.port, "config": hop.config, "binary": hop.binary}
    for key, value in given.items():
        if value is not None:
            hint = f"[configurations.{hop.program}] has `{'nginx' if key == 'binary' else 'port'}`"
            raise UsageError(f"{where}: {key}: not with your own configuration", hint if key != "config" else None)


def _known(word: str, known: Collection[str], message: str) -> None:
    if word not in known:
        raise UsageError(message, nearest(word, known))


def _check_load(experiment: Experiment, programs: set[str], where: str) -> None:
    """How it is loaded: sweep, soak, whole slices, header fields, the article's figures and its protocol."""
    if experiment.sweep is not None:
        check_sweep(experiment, where)
        words = experiment.sweep.key.split(".")
        if words[0] == "settings":
            _known(words[1], programs, f"{where}: sweep.key: no arm uses the program '{words[1]}'")
    if experiment.slice_s is not None and experiment.slices is not Slices.WHOLE:
        raise UsageError(f"{where}: slice_s: the slices are interleaved", 'slices = "whole"')
    if experiment.soak is not None:
        if len(experiment.arms) != 2:
            raise UsageError(
                f"{where}: soak: {len(experiment.arms)} arms", "two: the one that is soaked, and a baseline beside it"
            )
        if experiment.slices is Slices.WHOLE:
            raise UsageError(f"{where}: soak: not in whole slices", "a soak has slices of its own: leave `slices` out")
    for name, value in experiment.workload.headers:
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name) or re.search(r"[\x00-\x1f\x7f]", value):
            raise UsageError(f"{where}: workload.headers: [{name!r}, {value!r}] is no header field")
        if name.lower() in ("connection", "content-length", "transfer-encoding"):
            raise UsageError(
                f"{where}: workload.headers: {name} is hopcost's own to send",
                "requests_per_connection says how long connections are kept",
            )
    check_expect(experiment.workload.expect, f"{where}: workload.expect")
    _check_upload(experiment, where)
    points = experiment.sweep.values if experiment.sweep is not None else None
    check_rows(experiment.published, experiment.arms, points, experiment.control, where)
    if experiment.as_published is not None:
        check_protocol(experiment.as_published, where)


def _check_upload(experiment: Experiment, where: str) -> None:
    """A body and a method that carries one belong together; the size may be what a sweep says."""
    method, swept = experiment.workload.method, experiment.sweep is not None and experiment.sweep.key
    has_body = experiment.workload.body_bytes is not None or swept == "workload.body_bytes"
    if has_body and not method.uploads:
        raise UsageError(f"{where}: workload.body_bytes: a GET carries no body", 'method = "POST" or "PUT"')
    if method.uploads and not has_body:
        raise UsageError(
            f"{where}: workload.method: a {method.value} of nothing", "body_bytes says how much it carries"
        )


def check_sweep(experiment: Experiment, where: str) -> None:
    """A key that can be swept, values that it takes, each once, and quick ones among them."""
    sweep = experiment.sweep
    assert sweep is not None, "asked for an experiment with a sweep"
    seen: list[str] = []
    for value in sweep.values:
        if not re.fullmatch(r"[A-Za-z0-9._-]+", label(value)):
            raise UsageError(
                f"{where}: sweep.values: {label(value)!r}", "a value names its point: letters, digits, . _ -"
            )
        if label(value) in seen:
            raise UsageError(f"{where}: sweep.values: {label(value)} stands there twice")
        seen.append(label(value))
    for value in sweep.quick or []:
        if not any(same(value, swept) for swept in sweep.values):
            raise UsageError(
                f"{where}: sweep.quick: {label(value)} is not one of its values", nearest(label(value), seen)
            )
    if sweep.quick is not None and not sweep.quick:
        raise UsageError(f"{where}: sweep.quick: empty", "quick = false on the experiment leaves it out of --quick")
    try:
        for value in sweep.values:
            experiment_at(experiment, value)
    except UsageError as error:
        raise UsageError(f"{where}: {error.message}", error.hint) from error
