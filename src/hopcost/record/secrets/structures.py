"""A record's structures with their secrets masked. Names, numbers and all that a reader decides by stay as they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from msgspec.structs import replace

from hopcost.plan.plan import LeftOut, Plan, PlannedExperiment
from hopcost.record.contents.block import ArmBlock, Block, Failure
from hopcost.record.contents.reason import Reason
from hopcost.record.contents.repeat import PeerRun, Repeat
from hopcost.record.contents.run import Ending
from hopcost.record.kept_files import KeptCommand
from hopcost.record.secrets.masker import Masker
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Arm, Hop, Settings
from hopcost.suites.arms.configuration import Configuration
from hopcost.suites.arms.server import RunningServer
from hopcost.suites.articles.published import Protocol
from hopcost.suites.experiments.experiment import Experiment
from hopcost.suites.experiments.request import HeaderField, MixedRequest
from hopcost.suites.experiments.workload import Workload
from hopcost.suites.suite import Suite

Text = TypeVar("Text", str, str | None)


def masker_of(arm: Arm) -> Masker:
    """One that knows the secrets of an arm's apps again, for their logs."""
    structures = StructureMasker()
    structures.mask_arm(arm)
    return structures.masker


class StructureMasker:
    """Masks the structures of one record. What is masked in its suite is known again in its logs."""

    def __init__(self) -> None:
        self.masker = Masker()

    def mask_suite(self, suite: Suite) -> Suite:
        """The suite file, with the workloads of its experiments."""
        return replace(
            suite,
            apps={name: self._app(app) for name, app in suite.apps.items()},
            configurations={name: self._configuration(own) for name, own in suite.configurations.items()},
            arms={name: self.mask_arm(arm) for name, arm in suite.arms.items()},
            experiments=[self._experiment(experiment) for experiment in suite.experiments],
            analysis=self._text(suite.analysis),
        )

    def mask_plan(self, plan: Plan) -> Plan:
        """What the suite means here."""
        return replace(
            plan,
            analysis=self._text(plan.analysis),
            experiments=[self._planned(experiment) for experiment in plan.experiments],
            left_out=[self._left_out(left_out) for left_out in plan.left_out],
        )

    def mask_block(self, block: Block) -> Block:
        """Failures with their log lines, and what other generators were started with and wrote."""
        return replace(
            block,
            failures=[self._failure(failure) for failure in block.failures],
            reasons=[self._reason(reason) for reason in block.reasons],
            arms=[self._part(part) for part in block.arms],
        )

    def mask_repeat(self, repeat: Repeat) -> Repeat:
        """The same of a repeat of an article's protocol."""
        run = None if repeat.run is None else self._peer(repeat.run)
        return replace(repeat, run=run, failure=self._text(repeat.failure))

    def mask_ending(self, ending: Ending) -> Ending:
        """Why an experiment stopped."""
        return replace(ending, detail=self._text(ending.detail))

    def mask_command(self, command: KeptCommand) -> KeptCommand:
        """How a hop was started."""
        return replace(command, command=self.masker.mask_words(command.command))

    def mask_arm(self, arm: Arm) -> Arm:
        """A stack, with the commands and variables of the user's own apps; a running server, with its URL."""
        hops, settings = [self._hop(hop) for hop in arm.hops], self._settings(arm.settings)
        return replace(arm, hops=hops, settings=settings, server=self._server(arm.server))

    def _hop(self, hop: Hop) -> Hop:
        app = None if hop.app is None else self._app(hop.app)
        own = None if hop.configuration is None else self._configuration(hop.configuration)
        settings, last_copy = self._values(hop.settings), self._values(hop.last_copy)
        return replace(hop, settings=settings, last_copy=last_copy, app=app, configuration=own)

    def _server(self, server: RunningServer | None) -> RunningServer | None:
        if server is None:
            return None
        return replace(server, url=self.masker.mask_text(server.url), target=self.masker.mask_text(server.target))

    def _app(self, app: App) -> App:
        environment = self.masker.mask_environment(app.environment)
        return replace(app, command=self.masker.mask_words(app.command), environment=environment)

    def _configuration(self, own: Configuration) -> Configuration:
        return replace(own, edits=[replace(edit, text=self.masker.mask_text(edit.text)) for edit in own.edits])

    def _settings(self, settings: Settings) -> Settings:
        return {program: self._values(values) for program, values in settings.items()}

    def _values(self, values: Mapping[str, str | int | bool]) -> dict[str, str | int | bool]:
        texts = {name: value for name, value in values.items() if isinstance(value, str)}
        return {**values, **self.masker.mask_values(texts)}

    def _experiment(self, experiment: Experiment) -> Experiment:
        return replace(
            experiment,
            workload=self._workload(experiment.workload),
            settings=self._settings(experiment.settings),
            as_published=self._protocol(experiment.as_published),
        )

    def _planned(self, planned: PlannedExperiment) -> PlannedExperiment:
        return replace(
            planned,
            arms=[replace(arm, arm=self.mask_arm(arm.arm)) for arm in planned.arms],
            workload=self._workload(planned.workload),
            settings=self._settings(planned.settings),
            left_out=[self._left_out(left_out) for left_out in planned.left_out],
            notes=[self._text(note) for note in planned.notes],
            as_published=self._protocol(planned.as_published),
        )

    def _workload(self, workload: Workload) -> Workload:
        mix = None if workload.mix is None else [self._mixed(mixed) for mixed in workload.mix]
        target, body_text = self.masker.mask_text(workload.target), self._text(workload.body_text)
        return replace(workload, headers=self._fields(workload.headers), target=target, body_text=body_text, mix=mix)

    def _mixed(self, mixed: MixedRequest) -> MixedRequest:
        target, body_text = self._text(mixed.target), self._text(mixed.body_text)
        return replace(mixed, headers=self._fields(mixed.headers), target=target, body_text=body_text)

    def _fields(self, fields: list[HeaderField]) -> list[HeaderField]:
        masked = self.masker.mask_headers([(name, value) for name, value in fields])
        return [[name, value] for name, value in masked]

    def _protocol(self, protocol: Protocol | None) -> Protocol | None:
        return None if protocol is None else replace(protocol, options=self.masker.mask_words(protocol.options))

    def _left_out(self, left_out: LeftOut) -> LeftOut:
        return replace(left_out, reason=self._text(left_out.reason))

    def _failure(self, failure: Failure) -> Failure:
        return replace(failure, message=self._text(failure.message), hint=self._text(failure.hint))

    def _reason(self, reason: Reason) -> Reason:
        return replace(reason, text=self._text(reason.text))

    def _part(self, part: ArmBlock) -> ArmBlock:
        notes = [self._text(note) for note in part.notes]
        return replace(part, notes=notes, peer=None if part.peer is None else self._peer(part.peer))

    def _peer(self, run: PeerRun) -> PeerRun:
        return replace(run, command=self.masker.mask_words(run.command), output=self._text(run.output))

    def _text(self, text: Text) -> Text:
        return text if text is None else self.masker.mask_text(text)
