"""Who holds a socket, by the links in /proc."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

from hopcost.machine.listeners.holders import find_holders, sockets_of


def test_all_processes_that_hold_a_socket_are_found() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        descriptor = server.fileno()
        inode = Path(f"/proc/self/fd/{descriptor}").stat().st_ino
        wait = [sys.executable, "-c", "import sys; sys.stdin.read()"]
        heir = subprocess.Popen(wait, stdin=subprocess.PIPE, pass_fds=[descriptor])
        stranger = subprocess.Popen(wait, stdin=subprocess.PIPE)
        try:
            assert find_holders([inode]) == {inode: {os.getpid(), heir.pid}}
            assert find_holders([inode], [stranger.pid, heir.pid]) == {inode: {heir.pid}}
            assert inode not in sockets_of(stranger.pid)
        finally:
            for process in (heir, stranger):
                process.communicate()


def test_a_process_that_is_gone_holds_nothing() -> None:
    assert sockets_of(4_194_305) == set()
