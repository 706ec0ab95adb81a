"""nginx under a configuration of somebody's own: the example of the documentation, and what is wrong in another."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest
from places import ROOT
from processes.freezers import freezers
from processes.needed import need_program

from hopcost.errors import ArmFailed, UsageError
from hopcost.machine import facts
from hopcost.plan.cores import Cores
from hopcost.stacks.client import check
from hopcost.stacks.host import Local
from hopcost.stacks.running.stack import RunningStack
from hopcost.stacks.sandbox.ports import raise_open_files
from hopcost.stacks.under_load.receipts import LoadShape, Observer
from hopcost.suites.arms.arm import Arm, Hop, Link

pytestmark = pytest.mark.usefixtures("nothing_left")

CORES = Cores(stack=facts.allowed_cores(), generator=facts.allowed_cores()[-1:])
PAGE = ROOT / "docs" / "reference" / "suite-file.md"


@pytest.fixture(autouse=True)
def there() -> None:
    raise_open_files()
    need_program("nginx")


def start(config: Path) -> RunningStack:
    hops = [Hop(program="nginx", link=Link.HTTP_TCP, config=str(config)), Hop(program="origin", link=Link.HTTP_UNIX)]
    return RunningStack("own", Arm(hops=hops), {}, CORES, Local(freezers()[0]), label="own")


def example(folder: Path) -> Path:
    """The configuration that docs/reference/suite-file.md shows."""
    section = PAGE.read_text().partition("## Another configuration, another binary")[2]
    match = re.search(r"(?m)^    \{% if root(?:.*\n)+?(?=\n?[^ \n])", section)
    assert match is not None
    path = folder / "ours.conf.j2"
    path.write_text(textwrap.dedent(match[0]))
    return path


def test_the_example_of_the_documentation_answers_and_gets_no_receipts(tmp_path: Path) -> None:
    config = example(tmp_path)
    with start(config) as stack:
        observer = Observer(stack)
        answer = check.ask("own", stack.prepared.address, "/")
        receipts = observer.receipts(answer, False, LoadShape(answers=1, opened=1))
        text = stack.prepared.hops[0].files["nginx.conf"]
    assert answer.status == 200
    assert [(each.hop, each.setting) for each in receipts if each.hop == "nginx"] == [("nginx", "cores")]
    assert f"worker_processes {len(CORES.stack)};" in text and "keepalive 64;" in text


def test_what_nginx_refuses_is_shown_with_the_line_of_the_file(tmp_path: Path) -> None:
    config = example(tmp_path)
    config.write_text(config.read_text().replace("access_log off;", "acess_log off;"))
    with pytest.raises(ArmFailed) as caught, start(config):
        pass
    assert 'unknown directive "acess_log"' in caught.value.message
    assert re.search(r"(?m)^> +\d+    acess_log off;$", caught.value.message)


def test_a_wrong_variable_is_told_with_its_line_and_nothing_starts(tmp_path: Path) -> None:
    config = example(tmp_path)
    config.write_text(config.read_text().replace("listen.address", "listen.adress"))
    with pytest.raises(UsageError, match=r"ours\.conf\.j2:11: .*adress"), start(config):
        pass


def test_a_program_without_a_configuration_has_none_to_replace(tmp_path: Path) -> None:
    arm = Arm(hops=[Hop(program="origin", link=Link.HTTP_TCP, config=str(example(tmp_path)))])
    with (
        pytest.raises(UsageError, match="arm own: origin: config: it has no configuration file"),
        RunningStack("own", arm, {}, CORES, Local(freezers()[0]), label="own"),
    ):
        pass
