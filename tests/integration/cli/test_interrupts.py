"""An interrupt ends a verb, wherever Python stands when it comes."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap

import pytest

CLEANING = textwrap.dedent(
    """
    import time
    from hopcost.cli.interrupts import take_interrupts

    class Slow:
        def __del__(self):
            print("cleaning", flush=True)
            time.sleep(30)

    take_interrupts()
    try:
        Slow()
        print("goes on", flush=True)
        time.sleep(30)
    except KeyboardInterrupt:
        print("ended")
    """
)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_one_that_comes_while_an_object_is_cleaned_up_is_not_lost(number: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", CLEANING], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "cleaning\n"
        process.send_signal(number)
        said, errors = process.communicate(timeout=20)
    assert (said, errors) == ("goes on\nended\n", "")


def test_another_error_of_a_cleaning_is_told_as_python_tells_it() -> None:
    words = CLEANING.replace("time.sleep(30)", "raise ValueError('odd')", 1).replace("time.sleep(30)", "pass")
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, timeout=20, check=True)
    assert "Exception ignored in" in done.stderr and "ValueError: odd" in done.stderr
