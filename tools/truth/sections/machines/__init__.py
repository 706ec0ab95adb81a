"""Generator and stacks apart: the edges of an agent, and several generators as one."""
