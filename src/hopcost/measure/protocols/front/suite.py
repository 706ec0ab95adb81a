"""The suite of an app and its fronts: the app alone, which runs twice, beside each front. Pure."""

from __future__ import annotations

import math

import msgspec

from hopcost.measure.protocols.front.request import FrontRequest
from hopcost.plan.groups import split
from hopcost.plan.method import METHOD
from hopcost.plan.slices import shortest_slices
from hopcost.plan.turns import Turns
from hopcost.record.secrets import mask_words
from hopcost.statistics.questions.front.fronts import ALONE, Front, has_keepalive
from hopcost.statistics.questions.front.question import AppFacts
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Arm, Hop, Link, SettingValue
from hopcost.suites.experiments.expect import Compared, Expect
from hopcost.suites.experiments.experiment import Experiment, Placement, Slices
from hopcost.suites.experiments.workload import Workload
from hopcost.suites.suite import Suite

FIRST_LINKS = {Front.TLS: Link.HTTPS_TCP, Front.HTTP2: Link.HTTP2_TLS}  # how clients reach a front, else over HTTP
APP, SOCKET_APP = "app", "app-socket"  # names in the suite
REFERENCE = 2  # the app alone and its second run are in every experiment
MOST_TOGETHER = 6  # arms alive, each with a copy of the app
ACCEPT_GZIP = ["Accept-Encoding", "gzip"]
# What Debian's nginx.conf, its proxy_params and nginx's own defaults say.
DEBIAN: dict[str, SettingValue] = {
    "access_log": True,
    "forwarded_headers": True,
    "keepalive_requests": 1000,
    "keepalive_timeout_s": 75,
    "multi_accept": False,
    "open_file_cache": False,
    "upstream_keepalive": 0,
}
TITLES = {
    Front.NGINX: "nginx as Debian ships it",
    Front.KEEPALIVE: "nginx with upstream keepalive",
    Front.UNIX: "nginx over a Unix socket",
    Front.HAPROXY: "HAProxy",
    Front.CADDY: "Caddy",
    Front.TLS: "nginx with TLS to the client",
    Front.HTTP2: "nginx with HTTP/2 to the client",
    Front.GZIP: "nginx with gzip",
    Front.CACHE: "nginx with a 1 s cache",
    Front.COPIES: "nginx before 2 copies of the app",
}


def front_suite(request: FrontRequest, facts: AppFacts, fronts: list[Front], expect: Expect) -> Suite:
    """The suite of these fronts; `request.app` must have what was learned of it."""
    apps = {APP: request.app}
    if Front.UNIX in fronts and request.socket_app is not None and request.socket_app != request.app:
        apps[SOCKET_APP] = request.socket_app
    arms = {front.value: _arm(front, fronts, request, facts, apps) for front in fronts}
    baseline = Front.NGINX.value if request.is_fastcgi else ALONE
    if not request.is_fastcgi:
        hops = [Hop(program=APP, link=request.link)]
        arms = {ALONE: Arm(hops=hops, title="the app alone")} | arms
    workload = msgspec.structs.replace(request.workload, expect=expect)
    experiments = _experiments(request, facts, fronts, workload, baseline)
    return Suite(
        name="front",
        title=f"What to put before {' '.join(mask_words(request.app.command))}"[:200],
        apps=apps,
        arms=arms,
        experiments=experiments,
        analysis="; ".join(facts.notes),
    )


def _arm(front: Front, fronts: list[Front], request: FrontRequest, facts: AppFacts, apps: dict[str, App]) -> Arm:
    """nginx as Debian ships it with one thing more, or another program."""
    link = request.socket_link if front is Front.UNIX else request.link
    name = SOCKET_APP if front is Front.UNIX and SOCKET_APP in apps else APP
    origin = Hop(program=name, link=link, copies=2 if front is Front.COPIES else 1)
    first = FIRST_LINKS.get(front, Link.HTTP_TCP)
    if front in (Front.HAPROXY, Front.CADDY):
        return Arm(hops=[Hop(program=front.value, link=first), origin], title=TITLES[front])
    settings = DEBIAN | script_setting(request) | _limits(request)
    if has_keepalive(front, fronts):
        settings |= {"upstream_keepalive": facts.pool}
        if facts.upstream_timeout_s is not None and not request.is_fastcgi:
            settings |= {"upstream_keepalive_timeout_s": facts.upstream_timeout_s}
    if front is Front.GZIP:
        settings |= {"gzip": True}
    if front is Front.CACHE:
        settings |= {"cache_s": 1}
    return Arm(hops=[Hop(program="nginx", link=first, settings=settings), origin], title=TITLES[front])


def script_setting(request: FrontRequest) -> dict[str, SettingValue]:
    """What nginx tells a FastCGI app to run; nothing to one that needs no script."""
    return {} if request.script is None else {"script": request.script}


def _limits(request: FrontRequest) -> dict[str, SettingValue]:
    """What a large upload or very many connections need, above nginx's own limits."""
    mib = math.ceil(len(request.workload.body or b"") / (1 << 20))
    return {"body_mib_most": mib} if mib > 1 else {}


def _experiments(
    request: FrontRequest, facts: AppFacts, fronts: list[Front], workload: Workload, baseline: str
) -> list[Experiment]:
    """As many fronts together as the app's idle time-out allows; HTTP/2, a cache and gzip by themselves."""
    apart = {Front.HTTP2, Front.GZIP, Front.CACHE}
    common = [front for front in fronts if front not in apart and front.value != baseline]
    fronts_together = together(facts.idle_timeout_s, request.workload.connections, quick=request.is_quick) - REFERENCE
    groups = (
        split([front.value for front in common], fronts_together)
        if fronts_together > 0
        else [[front.value for front in common]]
    )
    experiments = [_experiment(group, baseline, workload, request) for group in groups if group]
    if Front.HTTP2 in fronts:
        streaming = msgspec.structs.replace(workload, streams=request.streams)
        experiments.append(_experiment([Front.HTTP2.value], baseline, streaming, request))
    if Front.GZIP in fronts:
        headers = [*workload.headers, ACCEPT_GZIP]
        varies = workload.expect.compared is not Compared.BODY
        expect = Expect(compared=Compared.STATUS, status=workload.expect.status) if varies else workload.expect
        asking = msgspec.structs.replace(workload, headers=headers, expect=expect)
        experiments.append(_experiment([Front.GZIP.value], baseline, asking, request))
    if Front.CACHE in fronts:
        cached = _experiment([Front.CACHE.value], baseline, workload, request)
        experiments.append(msgspec.structs.replace(cached, slices=Slices.WHOLE, open_loop=False))
    return experiments


def together(idle_timeout_s: float | None, connections: int, *, quick: bool) -> int:
    """How many arms can take turns without that one is frozen for longer than half of its idle time-out.

    >>> [together(seconds, 64, quick=False) for seconds in (None, 60.0, 5.0, 2.0)]
    [6, 6, 3, 1]
    """
    if idle_timeout_s is None:
        return MOST_TOGETHER
    visit_s = sum(shortest_slices(Turns.ALL, connections, quick=quick, whole_s=None)) / 1e9
    return min(MOST_TOGETHER, int(1 + idle_timeout_s * METHOD.idle_share / (2 * visit_s)))


def _experiment(names: list[str], baseline: str, workload: Workload, request: FrontRequest) -> Experiment:
    return Experiment(
        name="-".join(names),
        question=f"What do they cost, and what are they worth: {', '.join(names)}?",
        baseline=baseline,
        arms=[baseline, *names],
        placement=Placement.ONE_CORE,
        workload=workload,
        open_loop=request.rate_per_s is not None,
    )
