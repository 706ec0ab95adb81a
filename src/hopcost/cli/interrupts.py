"""Ctrl-C, a kill and a closed terminal end a verb as KeyboardInterrupt, wherever Python stands when they come."""

from __future__ import annotations

import os
import signal
import sys
import threading

AGAIN_S = 0.05  # by then the cleaning is over, or is interrupted once more


def take_interrupts() -> None:
    """From now on, in this process."""
    signal.signal(signal.SIGTERM, _interrupt)
    signal.signal(signal.SIGHUP, _interrupt)
    sys.unraisablehook = _interrupt_again


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _interrupt_again(lost: sys.UnraisableHookArgs) -> None:
    """Python drops what is raised while it cleans an object up, an interrupt too: send it once more, a moment later."""
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    timer = threading.Timer(AGAIN_S, os.kill, [os.getpid(), signal.SIGTERM])
    timer.daemon = True
    timer.start()
