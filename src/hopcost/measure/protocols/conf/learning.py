"""Learn a configuration before it is measured: its site, what it answers, which changes this load can show."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from hopcost.errors import UsageError
from hopcost.measure.learn import Learned, learn_app
from hopcost.measure.learn.idle import KEEPS, keeps_when_upgrading
from hopcost.measure.protocols.conf.behind import app_hop_of, origin_of, origin_without_app, with_learned
from hopcost.measure.protocols.conf.looks.shown import Shown
from hopcost.measure.protocols.conf.looks.starting import RealTrials, Starter
from hopcost.measure.protocols.conf.mends import find_mends
from hopcost.measure.protocols.conf.phases import bare
from hopcost.measure.protocols.conf.plan import AppStack, ConfPlan, ScreenedStack, conf_time, joined
from hopcost.measure.protocols.conf.request import ConfRequest
from hopcost.nginx.ablations import Ablation, LoadSeen, find_ablations
from hopcost.nginx.edits.diff import patch_folder
from hopcost.nginx.limits import find_limits
from hopcost.nginx.read import ConfigurationText, read_configuration
from hopcost.nginx.sites import Site, choose_site
from hopcost.nginx.sites.idle import idle_timeout_s
from hopcost.nginx.traps import find_traps
from hopcost.nginx.tree import walk
from hopcost.programs.generators.engine_plan import accepts_gzip
from hopcost.record.secrets import mask_text, mask_words
from hopcost.stacks.client.connection import HttpAnswer
from hopcost.stacks.jail.handshakes import HTTP2, agreed_protocol
from hopcost.stacks.jail.made.passwords import PASSWORD, USER
from hopcost.stacks.jail.outcome import Outcome, outcome_of
from hopcost.stacks.running.stack import RunningStack
from hopcost.statistics.questions.conf.question import BARE, Candidate, ConfQuestion, FoundTrap, Seen, Unseen
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Hop
from hopcost.suites.arms.configuration import Configuration
from hopcost.suites.experiments.expect import Expect
from hopcost.suites.experiments.workload import Workload

LEAST_WARM_UP_REQUESTS = 2000


class ConfLearned(msgspec.Struct, frozen=True):
    """What is going to be measured, and who starts the diffs that may come of it."""

    plan: ConfPlan
    trials: RealTrials

    def plain_diff(self, changes: Sequence[str]) -> str:
        """The diff with these changes and what mends traps, with secrets as they stand: for a file of the user's."""
        return self.trials.plain_diff(joined(self.plan.edits_of(changes), self.plan.mends))


class Behind(NamedTuple):
    """What is behind nginx: the app, what came through nginx, an origin that answers alike.

    `keeps_when_upgrading`: whether the app keeps a connection whose requests say `Connection: upgrade`.
    """

    app: App | None
    learned: Learned
    origin: Hop | None
    keeps_when_upgrading: bool | None = None


class Learning:
    """Starts the files on this machine; `say` hears what is being done."""

    def __init__(self, request: ConfRequest, say: Callable[[str], None]) -> None:
        self._request, self._say = request, say
        self._text: ConfigurationText = read_configuration(request.file)
        self._site: Site = choose_site(self._text, host=request.host, port=request.port)
        self._limits = find_limits(self._text)
        self._configuration = Configuration(
            file=str(request.file.resolve()),
            port=self._site.port,
            host=self._site.host,
            nginx=request.nginx,
            edits=[edit for limit in self._limits for edit in limit.edits],
            digest=self._text.digest,
            idle_timeout_s=idle_timeout_s(self._text, self._site),
        )
        self._link = request.link_to(self._site)
        self._starter = Starter()

    def learn(self, time_s: float | None = None) -> ConfLearned:
        """What is measured of the file. ArmFailed or UsageError with the next step if it cannot be measured."""
        request, site = self._request, self._site
        self._say(f"{request.file.name}: {site.url} is measured; nginx is started with it")
        outcome = outcome_of(self._configuration)
        where = "in a jail, the files as they are" if outcome.why_no_jail is None else "on a copy, which is rewritten"
        self._say(f"nginx {outcome.nginx.text} runs {where}")
        workload = request.workload_of(site.host, login_of(self._text))
        behind = self._learn_behind(workload)
        app, learned, origin, _ = behind
        workload = msgspec.structs.replace(workload, expect=learned.expect)
        # The origin answers alike each time, whatever is to be compared of the app's answers.
        asked = workload if app is None else msgspec.structs.replace(workload, expect=Expect())
        screened = ScreenedStack(self._configuration, self._link, origin, asked)
        app_stack = None if app is None else AppStack(app_hop_of(site, app), app, workload)
        trials = RealTrials(self._starter, screened, self._text, app_stack)
        expected = trials.as_is.answer
        seen = self._seen(behind, trials.as_is)
        ablations = find_ablations(self._text, site, outcome.nginx.version, seen)
        traps = find_traps(self._text, site, outcome.nginx.version, seen)
        self._say(f"{len(ablations)} changes are tried, each in a start of its own")
        tried, unseen = self._try(ablations, trials)
        found_traps, mends = find_mends(traps, tried, trials)
        plan = ConfPlan(
            question=self._question(outcome, learned, expected, tried, unseen, found_traps, trials.notes),
            screened=screened,
            edits={ablation.name: list(ablation.edits) for ablation in tried},
            mends=mends,
            time=conf_time(time_s, quick=request.is_quick),
            app_stack=app_stack,
            is_quick=request.is_quick,
        )
        everything = bare(plan)
        if len(tried) > 1 and trials.refusal(everything) is None:
            plan = msgspec.structs.replace(plan, edits=plan.edits | {BARE: everything})
        return ConfLearned(plan, trials)

    def _learn_behind(self, workload: Workload) -> Behind:
        app = self._request.app
        if app is None:
            hop, words = origin_without_app(self._text, self._site, workload.target)
            if words is not None:
                self._say(words)
        else:
            hop = app_hop_of(self._site, app)
        with self._starter.start(self._configuration, self._link, hop, app) as stack:
            if self._link.is_http2:
                _refuse_no_http2(stack, self._site)
            keeping = KEEPS if app is None else None  # hopcost's own origin keeps its connections
            learned = learn_app(stack, workload, self._starter.rig, self._say, keeping)
            keeps = None if app is None else keeps_when_upgrading(stack, workload)
        if app is None:
            return Behind(None, learned, hop)
        app = with_learned(app, learned.idle_timeout_s, max(learned.warm_up_requests, LEAST_WARM_UP_REQUESTS))
        return Behind(app, learned, origin_of(self._site, learned.body_bytes, learned.content_type), keeps)

    def _seen(self, behind: Behind, as_is: Shown) -> LoadSeen:
        learned, workload = behind.learned, self._request.workload_of(self._site.host)
        return LoadSeen(
            connections=workload.connections,
            requests_per_connection=workload.requests_per_connection,
            body_bytes=learned.body_bytes,
            content_type=learned.content_type,
            status=learned.status,
            encoding=as_is.answer.content_encoding,
            accepts_gzip=accepts_gzip(workload.header_fields),
            is_tls=self._site.is_tls,
            is_upload=workload.method.uploads,
            idle_timeout_s=_idle_timeout_s(behind.app, learned),
            keeps_when_upgrading=behind.keeps_when_upgrading,
            is_from_upstream=bool(self._site.upstreams) and as_is.behind != 0,
            path=workload.target,
            streams=self._request.streams,
        )

    def _try(self, ablations: Sequence[Ablation], trials: RealTrials) -> tuple[list[Ablation], list[Unseen]]:
        """Those that this load can show and nginx starts with; the others with reasons."""
        tried, unseen = [], []
        for ablation in ablations:
            why = ablation.unseen or trials.try_change(ablation.edits, ablation.receipt)
            if why is None:
                tried.append(ablation)
            else:
                unseen.append(Unseen(ablation.words, [str(place) for place in ablation.places], why))
        return tried, unseen

    def _question(
        self,
        outcome: Outcome,
        learned: Learned,
        answer: HttpAnswer,
        tried: Sequence[Ablation],
        unseen: list[Unseen],
        traps: list[FoundTrap],
        notes: list[str],
    ) -> ConfQuestion:
        request = self._request
        return ConfQuestion(
            file=str(self._text.file),
            nginx=".".join(map(str, outcome.nginx.version)),
            site=self._site.url,
            command=[] if request.app is None else mask_words(request.app.command),
            target=mask_text(request.workload.target),
            connections=request.workload.connections,
            requests_per_connection=request.workload.requests_per_connection,
            streams=request.streams,
            method=request.workload.method.value,
            seen=Seen(
                learned.status, learned.body_bytes, learned.content_type, answer.content_encoding, learned.changing
            ),
            candidates=[_candidate(ablation, self._text) for ablation in tried],
            unseen=unseen,
            traps=traps,
            limits=[f"{limit.words} ({limit.place})" for limit in self._limits],
            notes=list(dict.fromkeys(notes)),
            patch_folder=None if (folder := patch_folder(self._text)) is None else str(folder),
        )


def _refuse_no_http2(stack: RunningStack, site: Site) -> None:
    with stack.as_client():
        agreed = agreed_protocol(stack.prepared.address)
    if agreed != HTTP2:
        hint = "`listen … ssl http2`; from nginx 1.25.1 on `http2 on`"
        raise UsageError(f"--http2: {site.url} does not speak it", hint)


def login_of(text: ConfigurationText) -> str | None:
    """What logs in where the files ask for a password: the jail has a user of hopcost's own. None if none asks."""
    if not any(directive.name == "auth_basic_user_file" for directive, _ in walk(text)):
        return None
    return "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()


def _idle_timeout_s(app: App | None, learned: Learned) -> float | None:
    """Of the app: 0 if it closes each connection itself; None if it keeps them open. hopcost's origin does so."""
    if app is None:
        return None
    return learned.idle_timeout_s if learned.keeps_connections else 0.0


def _candidate(ablation: Ablation, text: ConfigurationText) -> Candidate:
    """It may stand in the diff only if all that it edits is the user's own: Debian's nginx.conf is supplied."""
    is_own = all(edit.file in text.paths for edit in ablation.edits)
    return Candidate(
        name=ablation.name,
        words=ablation.words,
        places=[str(place) for place in ablation.places],
        buys=ablation.buys,
        is_offered=ablation.is_offered and is_own,
        is_giant=ablation.is_giant,
    )


def refuse_nothing(question: ConfQuestion) -> None:
    """UsageError, with what would be seen and how, if this load shows nothing of the file."""
    if question.candidates or question.mends:
        return
    reasons = "".join(f"\n  {unseen.words}: {unseen.why}" for unseen in question.unseen[:6])
    raise UsageError(
        f"this load shows no directive of {question.file}{':' if reasons else ''}{reasons}",
        "another page (--path), a connection per request (--new-connections), or an upload (--body-bytes)",
    )
