"""Whether the kernel lets this process use io_uring: tried, because a container may refuse it without a word."""

from __future__ import annotations

import ctypes
import errno
import os
import struct

SETUP = 425  # the system call, on every architecture
PARAMETERS_BYTES = 120
FLAGS = 1 << 7 | 1 << 8 | 1 << 12 | 1 << 13  # as the engine's: SUBMIT_ALL, COOP_TASKRUN, SINGLE_ISSUER, DEFER_TASKRUN


def refusal() -> int | None:
    """The error number with which the kernel refuses the engine's kind of io_uring; None if it makes one."""
    libc = ctypes.CDLL(None, use_errno=True)
    parameters = ctypes.create_string_buffer(struct.pack("=3I", 0, 0, FLAGS), PARAMETERS_BYTES)
    descriptor = libc.syscall(SETUP, 1, parameters)
    if descriptor < 0:
        return ctypes.get_errno() or errno.EPERM
    os.close(descriptor)
    return None
