"""Listeners out of /proc/net, as recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopcost.machine.listeners import tables

TCP6 = """\
  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when
   0: 00000000000000000000000001000000:0051 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000\
 00000000     0        0 430284 1 00000000d9c802b5 100 0 0 10 0
   2: 00000000000000000000000000000000:0050 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000\
 00000000  1000        0 430283 1 00000000208db922 100 0 0 10 0
   3: 0000000000000000FFFF00000100007F:0052 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000\
 00000000     0        0 430285 1 000000003170c64a 100 0 0 10 0
   4: 0000000000000000FFFF00000100007F:0052 0000000000000000FFFF00000100007F:9000 01 00000000:00000000 00:00000000\
 00000000     0        0 430299 1 000000003170c64a 100 0 0 10 0
"""
UNIX = """\
Num       RefCount Protocol Flags    Type St Inode Path
00000000428a0d09: 00000002 00000000 00010000 0001 01 430287 /tmp/my app.sock
00000000f4a08977: 00000002 00000000 00010000 0001 01 430288 @app
00000000f4a08978: 00000003 00000000 00000000 0001 03 430289 /tmp/connected.sock
00000000f4a08979: 00000003 00000000 00010000 0001 01 430290
"""


def test_ipv6_in_words_of_four_bytes() -> None:
    listeners = list(tables.tcp_of(TCP6))
    assert [(each.address, each.inode, each.uid) for each in listeners] == [
        ("[::1]:81", 430284, 0),
        ("[::]:80", 430283, 1000),
        ("127.0.0.1:82", 430285, 0),
    ]


def test_unix_sockets_that_accept() -> None:
    assert [(each.address, each.inode) for each in tables.unix_of(UNIX)] == [
        ("unix:/tmp/my app.sock", 430287),
        ("unix:@app", 430288),
    ]


def test_a_kernel_without_ipv6_has_no_such_table(tmp_path: Path) -> None:
    (tmp_path / "tcp").write_text("head\n")
    assert tables.read_tcp(tmp_path) == tables.read_tcp6(tmp_path) == tables.read_unix(tmp_path) == []


def test_without_the_first_table_nothing_is_known(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        tables.read_tcp(tmp_path)
