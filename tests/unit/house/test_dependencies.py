"""What `pip install` brings is little: further packages are extras, which whoever needs them is told of."""

from __future__ import annotations

import re
import tomllib

from places import ROOT

DIRECT_AT_MOST = 13
IMPORTS = {"vl-convert-python": "vl_convert"}  # where it is not the package's own name
ROOMS = {
    "fleet": ("measure/fleet", "measure/sites/dask"),
    "history": ("history", "statistics/change_points"),
    "html": ("report/formats/html",),
    "page": ("page", "cli/look"),
    "postgresql": ("history/database",),
}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_base_has_at_most_thirteen_direct_dependencies() -> None:
    assert len(PROJECT["dependencies"]) <= DIRECT_AT_MOST


def test_packages_of_an_extra_are_imported_in_the_rooms_of_the_extra_alone() -> None:
    """Where `errors.needs_extra` stands before the import of the room, or before the package's own."""
    assert set(ROOMS) == set(PROJECT["optional-dependencies"])
    for extra, requirements in PROJECT["optional-dependencies"].items():
        names = [re.split(r"[^\w-]", line)[0] for line in requirements]
        modules = "|".join(IMPORTS.get(name, name.replace("-", "_")) for name in names)
        imports = re.compile(rf"^\s*(?:import|from) (?:{modules})\b", re.MULTILINE)
        sources = (ROOT / "src" / "hopcost").rglob("*.py")
        users = [path.relative_to(ROOT / "src" / "hopcost") for path in sources if imports.search(path.read_text())]
        assert users, f"nothing imports what the extra {extra} brings"
        assert [user for user in users if not any(user.is_relative_to(room) for room in ROOMS[extra])] == [], extra
