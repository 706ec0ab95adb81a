"""What a suite file must not say: the key, the message and the hint."""

from __future__ import annotations

from pathlib import Path

import pytest
from texts.suite_texts import write

from hopcost.errors import UsageError
from hopcost.suites.arms.arm import Hop, Link
from hopcost.suites.experiments.experiment import Placement
from hopcost.suites.experiments.workload import Workload
from hopcost.suites.read import read_suite

FIRST, SECOND = "experiments[0] (first): ", "experiments[1] (second): "


def refused(tmp_path: Path, old: str, new: str) -> tuple[str, str | None]:
    """The message behind the file's name, and the hint, for the good suite with one thing replaced."""
    path = write(tmp_path, old, new)
    with pytest.raises(UsageError) as caught:
        read_suite(path)
    assert caught.value.message.startswith(f"{path}: ")
    assert caught.value.exit_code == 2
    return caught.value.message.removeprefix(f"{path}: "), caught.value.hint


def test_a_good_suite_means_what_it_says(tmp_path: Path) -> None:
    read = read_suite(write(tmp_path))
    assert read.arms["behind"].hops == [
        Hop(program="proxy", link=Link.HTTP_TCP, settings={"workers": 2}, port=8080),
        Hop(program="app", link=Link.FASTCGI_UNIX),
    ]
    first, second = read.experiments
    assert first.workload == Workload(connections=32, target="/x", timeout_s=3)
    assert [(row.arm, row.throughput_per_s, row.errors) for row in first.published] == [
        ("direct", 1000.0, {}),
        ("behind", 900.5, {"timeout": 3}),
    ]
    assert (first.placement, second.placement) == (Placement.ONE_CORE, Placement.ALL_CORES)
    assert second.workload == Workload(connections=64, target="/", timeout_s=10)
    assert (second.control, second.needs_cores, second.settings, second.published) == (None, 1, {}, [])


@pytest.mark.parametrize(
    ("old", "new", "message", "hint"),
    [
        ('title = "Mine"', 'titel = "Mine"', "top level: Object contains unknown field `titel`",
         "did you mean 'title'?"),
        ('author = "somebody"', 'autor = "somebody"', "article: Object contains unknown field `autor`",
         "did you mean 'author'?"),
        ('title = "behind a proxy"', 'tilte = "x"', "arms.behind: Object contains unknown field `tilte`",
         "did you mean 'title'?"),
        ("settings = { workers", "setings = { workers", "arms.behind.hops[0]: Object contains unknown field `setings`",
         "did you mean 'settings'?"),
        ('{ program = "app", link = "fastcgi+unix" }', '{ program = "app", link = "fastcgi+unix", prot = 1 }',
         "arms.behind.hops[1]: Object contains unknown field `prot`", "did you mean 'port'?"),
        ("published_conditions", "published_condition",
         "experiments[0]: Object contains unknown field `published_condition`", "did you mean 'published_conditions'?"),
        ("connections = 32", "conections = 32", "experiments[0].workload: Object contains unknown field `conections`",
         "did you mean 'connections'?"),
        ("errors = { timeout", "error = { timeout",
         "experiments[0].published[1]: Object contains unknown field `error`", "did you mean 'errors'?"),
        ('question = "And on', 'zzz = "And on', "experiments[1]: Object contains unknown field `zzz`",
         "known: arms, as_published, baseline, control, link_mbit_per_s, name, needs_cores, needs_cores_because,"
         " open_files, open_loop, placement, published, published_conditions, question, quick, rates, restart,"
         " settings, slice_s, slices, soak, sweep, sysctls, table, weight, workload"),
        ('name = "mine"', "name = 7", "name: Expected `str`, got `int`", None),
        ("port = 8080", 'port = "8080"', "arms.behind.hops[0].port: Expected `int | null`, got `str`", None),
        ("port = 8080", "port = 70000", "arms.behind.hops[0].port: Expected `int` <= 65535", None),
        ("port = 8080", "port = 0", "arms.behind.hops[0].port: Expected `int` >= 1", None),
        ("workers = 2", "workers = 2.5",
         "arms.behind.hops[0].settings.workers: Expected `bool | int | str`, got `float`", None),
        ('threads = "cores"', "threads = []",
         "experiments[0].settings.app.threads: Expected `bool | int | str`, got `array`", None),
        ("connections = 32", "connections = 0", "experiments[0].workload.connections: Expected `int` >= 1", None),
        ("connections = 32", "connections = 3.5", "experiments[0].workload.connections: Expected `int`, got `float`",
         None),
        ("connections = 32", "connections = true", "experiments[0].workload.connections: Expected `int`, got `bool`",
         None),
        ("throughput_per_s = 1000", "throughput_per_s = 0",
         "experiments[0].published[0].throughput_per_s: Expected `float` > 0.0", None),
        ("timeout = 3 }", "timeout = 'x' }", "experiments[0].published[1].errors.timeout: Expected `int`, got `str`",
         None),
        ('arms = ["direct", "behind"]', "arms = []", "experiments[0].arms: Expected `array` of length >= 1", None),
        ('hops = [{ program = "app", link = "http+tcp" }]', "hops = []",
         "arms.direct: hops: expected at least one", "from the client's side to the origin"),
        ('name = "second"', 'name = "first"', "experiments[1] (first): name: a second experiment of this name",
         "give it another one"),
        ('arms = ["direct", "behind"]', 'arms = ["direct", "behnd"]', FIRST + "arms: no [arms.behnd] in this file",
         "did you mean 'behind'?"),
        ('arms = ["direct", "behind"]', 'arms = ["direct", "behind", "direct"]', FIRST + "arms: the same arm twice",
         "the baseline's second run is added by hopcost itself"),
        ('baseline = "direct"\narms = ["direct", "behind"]', 'baseline = "unused"\narms = ["direct", "behind"]',
         FIRST + "baseline: 'unused' is not one of its arms", "known: behind, direct"),
        ("connections = 32", "connections = 32, streams = 2",
         FIRST + "workload: streams: no arm's first hop is reached over http2+tls", None),
        ("connections = 32", 'connections = 32, tls_sessions = "new"',
         FIRST + "workload: tls_sessions: no arm's first hop is reached over TLS", None),
        ('arms = ["direct", "behind"]', 'arms = ["direct", "behind"]\nrestart = { program = "ap", rate_per_s = 9 }',
         FIRST + "restart: 'direct' has no 'ap'", "did you mean 'app'?"),
        ('arms = ["direct", "behind"]', 'arms = ["direct", "behind"]\nrestart = { program = "app", rate_per_s = 0 }',
         "experiments[0].restart.rate_per_s: Expected `float` >= 0.1", None),
        ("[arms.direct]", "[arms.direct]\nstand_in = true", FIRST + "baseline: 'direct' is a stand-in",
         "it runs only where others cannot"),
        ('arm = "behind"', 'arm = "behin"', FIRST + "published: 'behin' is not one of its arms",
         "did you mean 'behind'?"),
        ('arm = "behind"', 'arm = "direct"', FIRST + "published: 'direct' stands there twice",
         "leave one of them out"),
        ('control = "direct"', 'control = "unused"', FIRST + "control: 'unused' is not published",
         "known: behind, direct"),
        ('control = "direct"', "", FIRST + "control: missing, and published ratios are taken to it",
         "known: behind, direct"),
        ("settings = { app =", "settings = { other =", FIRST + "settings: no arm uses the program 'other'",
         "known: app, proxy"),
        ('arms = ["direct"]', 'arms = ["direct"]\ncontrol = "direct"', SECOND + "control: 'direct' is not published",
         "an article's figures stand in [[experiments.published]]"),
        ("fastcgi+unix", "fast-cgi+unix", "arms.behind.hops[1].link: Invalid enum value 'fast-cgi+unix'",
         "did you mean 'fastcgi+unix'?"),
        ('"one-core"', '"one-cor"', "experiments[0].placement: Invalid enum value 'one-cor'",
         "did you mean 'one-core'?"),
    ],
)  # fmt: skip
def test_what_a_suite_must_not_say_is_named_with_its_key_and_a_hint(
    tmp_path: Path, old: str, new: str, message: str, hint: str | None
) -> None:
    assert refused(tmp_path, old, new) == (message, hint)


@pytest.mark.parametrize("target", ["x", "", "/a b", "http://elsewhere/"])
def test_a_target_is_a_path_of_the_server(tmp_path: Path, target: str) -> None:
    message, _ = refused(tmp_path, 'target = "/x"', f'target = "{target}"')
    assert message.startswith("experiments[0].workload.target: Expected `str` matching regex")


@pytest.mark.parametrize("name", ["../up", "a/b", "", " ", ".hidden", "a b"])
def test_names_stay_within_their_folder(tmp_path: Path, name: str) -> None:
    """Records have a folder for each experiment and arm."""
    message, _ = refused(tmp_path, 'name = "first"', f'name = "{name}"')
    assert message.startswith("experiments[0].name: Expected `str` matching regex")
    message, _ = refused(tmp_path, "[arms.unused]", f'[arms."{name}"]')
    assert message.startswith(f"arms: key '{name}': Expected `str` matching regex")


def test_no_arm_may_take_the_name_of_a_second_run(tmp_path: Path) -> None:
    """Two arms of one name would be added up as one."""
    path = Path(write(tmp_path, "[arms.unused]", "[arms.direct-aa]"))
    path.write_text(path.read_text().replace('arms = ["direct"]', 'arms = ["direct", "direct-aa"]'))
    with pytest.raises(UsageError) as caught:
        read_suite(str(path))
    message, hint = caught.value.message.removeprefix(f"{path}: "), caught.value.hint
    assert message == "experiments[1] (second): arms: 'direct-aa' is what hopcost calls the second run of 'direct'"
    assert hint == "give it another name"


def test_a_name_that_only_ends_like_a_second_run_is_good(tmp_path: Path) -> None:
    path = write(tmp_path, "[arms.unused]", "[arms.unused-aa]")
    assert "unused-aa" in read_suite(path).arms
