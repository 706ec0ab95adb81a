"""Without the extra `fleet` nothing of Dask is imported, and who asks for a fleet is told what to install."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

WITHOUT = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("dask", "distributed"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Hidden())
sys.argv = ["hopcost", *sys.argv[1:]]
from hopcost import cli
cli.main()
"""
HOSTS = '[hosts.a]\nssh = "127.0.0.1"\nport = 1\n[[sites]]\nstack = "a"\n'


def test_rooms_that_know_fleets_import_no_dask() -> None:
    code = (
        "import sys; from hopcost.measure.sites import check, dispatch, hosts_file, identity, loop, messages, report;"
        " from hopcost.measure.sites import run;"
        " sys.exit(bool({'dask', 'distributed'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_who_asks_for_a_fleet_is_told_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "hosts.toml").write_text(HOSTS)
    for words in (["fleet", "check", "hosts.toml"], ["run", "hello", "--fleet", "hosts.toml"], ["fleet", "hold", "5"]):
        done = subprocess.run(
            [sys.executable, "-c", WITHOUT, *words], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 3, (words, done.stderr)
        assert "which is not installed" in done.stderr and "hopcost's extra 'fleet'" in done.stderr, words
