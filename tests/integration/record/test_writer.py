"""A record on a file system that is full."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from samples.blocks import part, plain_block, slice_of
from samples.written import assert_the_record_before_stays, writer

from hopcost.errors import MeasurementFailed


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small file system; the stub above needs none")
def test_a_file_system_that_is_really_full(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "hopcost-test", disk], check=False)
    if mounted.returncode != 0:
        pytest.skip("this root may not mount (a container)")
    try:
        path = disk / "r"
        big = plain_block(2)
        big.arms += [part(*[slice_of("beside", 1)] * 500)]
        with pytest.raises(MeasurementFailed, match="No space left on device") as caught, writer(path) as open_writer:
            open_writer.append(plain_block(0))
            open_writer.append(plain_block(1))
            open_writer.append(big)
        assert_the_record_before_stays(path, caught, "blocks.jsonl")
    finally:
        subprocess.run(["umount", disk], check=True)
