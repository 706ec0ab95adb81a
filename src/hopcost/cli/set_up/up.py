"""`hopcost up`: one stack alive, for curl, wrk and perf."""

from __future__ import annotations

from collections.abc import Sequence

from hopcost.cli.shared.arguments import ArmPath
from hopcost.cli.shared.verbs.app import app, examples

PIDS_SHOWN = 8
EPILOG = examples(
    "hopcost up nginx-go/one-core/nginx-http-tcp",
    "hopcost up nginx-over-2",
    then="Then, in another terminal: curl, hopcost load, wrk, perf.",
)


@app.command("up", epilog=EPILOG)
def up(arm: ArmPath) -> None:
    """Start one stack and keep it up, for curl, wrk or perf.

    It prints the URL, and the commands and configuration files behind it. Ctrl-C ends it.
    """
    import time

    from hopcost.cli.program import as_called
    from hopcost.cli.shared import description
    from hopcost.cli.shared.arm import running_arm
    from hopcost.errors import ArmFailed
    from hopcost.stacks.awake import keep_awake
    from hopcost.stacks.sandbox import network

    network.enter_user_namespace()  # may start this command again
    try:
        with running_arm(arm, "up", print, isolated=False) as (experiment, stack, answer):
            folder = stack.session.directory
            described = description.describe_stack(stack.prepared, folder, experiment.workload, is_running=True)
            print(as_called(described), end="")
            sizes = f"{answer.header_bytes} header bytes, {len(answer.body)} body bytes"
            print(f"\nit answers with status {answer.status}, {sizes}")
            for hop, pids in stack.processes.items():
                print(f"{hop}: pid {_few(pids)}")
            print(f"idle cores: {keep_awake()}, as during a run")
            for note in stack.surroundings.notes:
                print(f"note: {note}")
            if stack.network_namespace is not None:
                where = f"nsenter --net={stack.network_namespace} curl {stack.prepared.address.url}"
                print(f"it has a network namespace of its own, as its arm asks for; from this terminal: {where}")
            print("Ctrl-C ends it", flush=True)
            while (failure := stack.failure()) is None:
                time.sleep(0.2)
            raise ArmFailed(stack.arm, failure, "its log is above; hopcost show has its command and files")
    except KeyboardInterrupt:
        print("stopped")


def _few(pids: Sequence[int]) -> str:
    """The first of them; Apache may have thousands.

    >>> _few([7, 8]), _few(range(100, 5100))
    ('7, 8', '100, 101, 102, 103, 104, 105, 106, 107 and 4992 more')
    """
    more = f" and {len(pids) - PIDS_SHOWN} more" if len(pids) > PIDS_SHOWN else ""
    return ", ".join(str(pid) for pid in pids[:PIDS_SHOWN]) + more
