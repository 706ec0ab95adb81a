"""What `pip install` brings is little: further packages are extras, which whoever needs them is told of."""

from __future__ import annotations

import re
import tomllib

from places import ROOT

DIRECT_AT_MOST = 13
ROOMS = {"html": "report/formats/html", "fleet": "measure/fleet"}
IMPORTS = {"vl-convert-python": "vl_convert"}  # where it is not the package's own name
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_base_has_at_most_thirteen_direct_dependencies() -> None:
    assert len(PROJECT["dependencies"]) <= DIRECT_AT_MOST


def test_packages_of_an_extra_are_imported_in_the_room_of_the_extra_alone() -> None:
    """Where `errors.needs_extra` stands before the import."""
    for extra, requirements in PROJECT["optional-dependencies"].items():
        names = [re.split(r"[^\w-]", line)[0] for line in requirements]
        modules = "|".join(IMPORTS.get(name, name.replace("-", "_")) for name in names)
        imports = re.compile(rf"^\s*(?:import|from) (?:{modules})\b", re.MULTILINE)
        sources = (ROOT / "src" / "hopcost").rglob("*.py")
        users = {
            path.relative_to(ROOT / "src" / "hopcost").parent for path in sources if imports.search(path.read_text())
        }
        assert {str(user) for user in users} == {ROOMS[extra]}, extra
