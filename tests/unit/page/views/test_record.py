"""A record's page: its report, or what the database has of it."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from histories.listed import CONFIGURATION, MACHINE, Listed, kept_point, kept_record
from histories.simulated import simulated_record

from hopcost.errors import UsageError
from hopcost.history.contents.summary import KeptArm, KeptComparison, KeptExperiment
from hopcost.page.asked import BadAddress
from hopcost.page.links import AskedTrend
from hopcost.page.views.record import save_record, show_record
from hopcost.record import reader
from hopcost.report import Format, render
from hopcost.report.record_report import record_report
from hopcost.statistics.intervals import Interval
from hopcost.statistics.summary.summary import summarise


def kept_on_disk(folder: Path, number: int = 0) -> Listed:
    record = kept_record(number, path=str(simulated_record(folder / f"{number}", number)))
    return Listed([kept_point(record), kept_point(record, figure="cpu_per_request")])


def test_the_report_is_the_one_that_hopcost_report_writes(tmp_path: Path) -> None:
    kept = kept_on_disk(tmp_path)
    (record,) = kept.all_records
    page = show_record(kept, record.digest[:12])
    read = reader.read_record(Path(record.path))
    assert (page.template, page.status) == ("record.html.j2", 200)
    assert page.content["heading"] == read.plan.title
    assert page.content["trends"] == [AskedTrend("made-up", "cost", "behind", series=f"{MACHINE}.5.{CONFIGURATION}")]
    expected = record_report(read, summarise(read))
    for format in (Format.CSV, Format.JSON):
        saved = save_record(kept, record.digest, format)
        assert saved.text == render(expected, format)
        assert saved.file_name == f"made-up-{record.digest[:8]}.{format}"
    assert json.loads(save_record(kept, record.digest, Format.JSON).text)["experiments"]
    assert len(list(csv.reader(io.StringIO(save_record(kept, record.digest, Format.CSV).text)))) > 3


def test_a_report_is_made_once(tmp_path: Path) -> None:
    kept = kept_on_disk(tmp_path)
    (record,) = kept.all_records
    first = show_record(kept, record.digest)
    shutil.rmtree(record.path)
    assert show_record(kept, record.digest).content["answers"] is first.content["answers"]


def of_another_machine() -> Listed:
    record = kept_record(1, path="/home/runner/records/latest")
    ratio = Interval(value=0.5, low=0.48, high=0.52)
    comparisons = (
        KeptComparison(figure="throughput", load_per_s=None, ratio=ratio, verdict="slower", no_verdict=None),
        KeptComparison(figure="response_p50", load_per_s=2000.0, ratio=None, verdict="no verdict", no_verdict="why"),
    )
    arms = tuple(
        KeptArm(
            name=name, title="", answers=1, throughput_per_s=1.0, throughput_is_a_bound=False,
            cpu_ns_per_request={}, comparisons=own,
        )
        for name, own in (("direct", ()), ("behind", comparisons))
    )  # fmt: skip
    summary = KeptExperiment(
        name="cost", question="What?", baseline="direct", starts=4, void=1, ended=None, margin=0.03, no_verdicts=None,
        noise=None, arms=arms,
    )  # fmt: skip
    return Listed([kept_point(record)], summaries={record.digest: (summary,)})


def test_a_record_of_another_machine_has_what_is_kept_of_it() -> None:
    kept = of_another_machine()
    page = show_record(kept, kept.all_records[0].digest)
    assert (page.template, page.status) == ("unread.html.j2", 200)
    content: dict[str, Any] = dict(page.content)
    (experiment,) = content["experiments"]
    assert (experiment.name, experiment.starts) == ("cost", "4 starts, 1 did not count")
    assert [(row.arm, row.figure, row.share, row.verdict) for row in experiment.figures] == [
        ("behind", "throughput", "50 % (48–52)", "slower"),
        ("behind", "response time p50 at 2,000/s", "–", "no verdict: why"),
    ]
    with pytest.raises(UsageError, match="this machine has no record there"):
        save_record(kept, kept.all_records[0].digest, Format.CSV)


def test_a_folder_that_holds_another_record_now_is_not_shown_for_it(tmp_path: Path) -> None:
    kept = kept_on_disk(tmp_path, number=7)
    (record,) = kept.all_records
    with (Path(record.path) / "environment.json").open("a") as file:
        file.write(" ")
    page = show_record(kept, record.digest)
    assert page.template == "unread.html.j2"
    assert "another record lies there now" in str(page.content["error"])


@pytest.mark.parametrize("digest", ["../../x", "", "zz", "0" * 65])
def test_a_digest_is_no_path(digest: str) -> None:
    with pytest.raises(BadAddress):
        show_record(Listed(), digest)


def test_a_damaged_record_is_refused_in_words(tmp_path: Path) -> None:
    folder = simulated_record(tmp_path / "r", 9)
    (folder / "plan.json").write_text("{")
    kept = Listed(others=[kept_record(9, path=str(folder))])
    page = show_record(kept, kept.others[0].digest)
    assert page.template == "unread.html.j2" and "plan.json" in str(page.content["error"])
