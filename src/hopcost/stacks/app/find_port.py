"""Find out on which port an app listens, by starting it once, alone."""

from __future__ import annotations

import msgspec

from hopcost.plan.cores import Cores
from hopcost.stacks.app.listening import ListensElsewhere
from hopcost.stacks.host import Host
from hopcost.stacks.running.stack import RunningStack
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Arm, Hop, Link


def find_port(name: str, app: App, link: Link, cores: Cores, host: Host) -> App:
    """The app as it is if it listens where it is told over this link; else with the `port` on which it does.

    ArmFailed if it does not listen, listens on several other ports, or takes no Unix socket if the link is one.
    """
    arm = Arm(hops=[Hop(program=name, link=link, app=app)])
    try:
        with RunningStack(name, arm, {}, cores, host, label=f"find-port-{name}"):
            return app
    except ListensElsewhere as error:
        if link.is_unix or len(error.ports) != 1:
            raise
        return msgspec.structs.replace(app, port=error.ports[0])
