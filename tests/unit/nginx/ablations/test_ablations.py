"""Whatever the configuration: names are unique, edits can be made together with no other, and nginx's syntax stays."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from texts.nginx_texts import others_configurations, own, own_configurations, seen_load

from hopcost.nginx.ablations import Ablation, find_ablations
from hopcost.nginx.limits import limits_off
from hopcost.nginx.read import ConfigurationText, read_configuration
from hopcost.nginx.sites import choose_site

EVERYTHING = [*own_configurations(), *others_configurations()]
LOADS = [
    {},
    {"is_from_upstream": False, "body_bytes": 200_000},
    {"requests_per_connection": 1, "connections": 1000, "is_upload": True, "body_bytes": 100_000, "encoding": "gzip"},
]


def found(path: Path, version: tuple[int, ...], known: dict[str, object]) -> list[Ablation]:
    configuration = read_configuration(path)
    return find_ablations(configuration, choose_site(configuration), version, seen_load(idle_timeout_s=5.0, **known))


@pytest.mark.parametrize("path", EVERYTHING, ids=lambda path: path.parent.name)
@pytest.mark.parametrize("version", [(1, 14, 0), (1, 22, 1), (1, 31, 0)])
@pytest.mark.parametrize("known", LOADS, ids=["app", "file", "uploads"])
def test_every_ablation_can_be_made_alone(path: Path, version: tuple[int, ...], known: dict[str, object]) -> None:
    configuration = read_configuration(path)
    ablations = found(path, version, known)
    names = [ablation.name for ablation in ablations]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in names)
    assert [ablation.is_giant for ablation in ablations] == sorted((one.is_giant for one in ablations), reverse=True)
    for ablation in ablations:
        assert ablation.edits and ablation.places and ablation.words and ablation.buys, ablation.name
        edited = configuration.with_edits(ablation.edits)
        assert edited.digest != configuration.digest
        assert empty_lines(edited) <= empty_lines(configuration) + sum("}\n\n" in edit.text for edit in ablation.edits)


def empty_lines(configuration: ConfigurationText) -> int:
    return sum(not line.strip() for text in configuration.files.values() for line in text.split("\n"))


@pytest.mark.parametrize("path", EVERYTHING, ids=lambda path: path.parent.name)
def test_all_that_is_offered_can_be_made_at_once_with_the_limits_off(path: Path) -> None:
    configuration = read_configuration(path)
    edits = [edit for ablation in found(path, (1, 22, 1), {}) if ablation.is_offered for edit in ablation.edits]
    edited = configuration.with_edits([*edits, *limits_off(configuration)])
    assert choose_site(edited).host == choose_site(configuration).host


def test_the_giants_of_our_own_are_found() -> None:
    giants = {
        path.parent.name: [one.name for one in found(path, (1, 22, 1), {}) if one.is_giant]
        for path in own_configurations()
    }
    assert giants["few-kept-connections"] == ["keepalive"]
    assert giants["several-servers"] == ["keepalive", "proxy-cache-off"]
    assert giants["compressed-and-static"] == ["keepalive", "gzip-off"]
    assert giants["asks-for-login"] == ["keepalive", "auth-request-off"]


def test_a_removed_directive_leaves_no_way_back_to_an_outer_one() -> None:
    configuration = own("asks-for-login")
    seen = seen_load()
    for ablation in find_ablations(configuration, choose_site(configuration), (1, 22, 1), seen):
        if ablation.name == "auth-request-off":
            edited = configuration.with_edits(ablation.edits)
            names = [one.name for one in find_ablations(edited, choose_site(edited), (1, 22, 1), seen)]
            assert "auth-request-off" not in names
