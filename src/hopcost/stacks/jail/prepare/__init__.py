"""A hop that is somebody's own configuration, with everything decided. Nothing of it runs by then."""

from hopcost.stacks.jail.prepare.addresses import front_address, next_address
from hopcost.stacks.jail.prepare.hop import prepare_in_jail
from hopcost.stacks.jail.prepare.jail import InJail, Jail

__all__ = ["InJail", "Jail", "front_address", "next_address", "prepare_in_jail"]
