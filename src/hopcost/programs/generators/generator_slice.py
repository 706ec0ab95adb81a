"""What one of several generators did in a slice: by these figures it is judged alone."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from hopcost.programs.generators.agent import AgentEdges


class GeneratorSlice(msgspec.Struct):
    """The keys are those of the slice, whose counts are the sums over all generators.

    Of the rest of the slice `start_ns` and `agent` are the first one's, `drain_ns` is the longest; all else is the
    stacks' machine's.
    """

    machine: Annotated[str, Meta(description="its machine, as `--on` has it")]
    answers: Annotated[int, Meta(description="correct answers")]
    sent: Annotated[int, Meta(description="requests sent")]
    due: Annotated[int | None, Meta(description="requests that were due")]
    not_sent: Annotated[int | None, Meta(description="those of them that were never sent")]
    late: Annotated[int | None, Meta(description="those sent more than 1 ms late though a connection was free")]
    elapsed_ns: Annotated[int, Meta(description="thaw to frozen: the same for all")]
    generator_cpu_ns: Annotated[int, Meta(description="of its engine's process")]
    spin_ns: Annotated[int | None, Meta(description="CPU time of polling in vain")]
    run_delay_ns: Annotated[int | None, Meta(description="time for which its threads waited for a core")]
    in_flight_ns: Annotated[int | None, Meta(description="its requests in flight, added up over the time")]
    agent: Annotated[AgentEdges | None, Meta(description="the clocks at the edges, as it saw them")]
