"""The part of the page about p99: stalls of the machine, few and many."""

from __future__ import annotations

from functools import partial

from tools.truth.form import Form
from tools.truth.lines import Case, Figures, Reckoned, Sorted
from tools.truth.page.part import Part, unfinished
from tools.truth.sections.coverage.judge import probability_of_so_few, too_low
from tools.truth.sections.coverage.noise import Shape
from tools.truth.sections.coverage.tails import REQUESTS, SLICE_MS, Stalls, cell

EXPERIMENTS = 600
BLOCKS, SHORT_BLOCKS, ROUNDS, ARMS = (2, 4, 6, 12), (2, 6), 2, (1, 4)
LEAST = 0.94
WIDE = 100  # a factor beyond it says nothing
STALLS = {
    "no stalls": Stalls(0.0, 0.0),
    "no stalls, starts differ by 5 %": Stalls(0.0, 0.0, restart_spread=0.05),
    "0.2 % of the time": Stalls(0.1, 20.0),
    "1 % of the time": Stalls(0.5, 20.0),
    "2 %, short ones": Stalls(4.0, 5.0),
    "1 %, starts differ by 5 %": Stalls(0.5, 20.0, restart_spread=0.05),
}
COLUMNS = ["blocks x rounds", "arms beside:", *(f"{name}:" for name in STALLS), "holds"]
PROSE = [
    "**p99 of response times** gets the same interval. Its noise comes in clusters, so it is simulated request by"
    f" request: {REQUESTS:,} in a slice of {SLICE_MS / 1000:g} s, stalls of the machine that hold up all requests that"
    " come during them, blocks with many stalls and blocks with few. No arm differs from another. A block's p99 is that"
    " of all its slices together; the spread within a block is that of its slices' own p99; the baseline's is the"
    f" geometric mean of its two runs. {EXPERIMENTS} experiments in each cell.",
    f"No cell may be significantly below {LEAST:.0%} (one-sided, Holm). In the table: coverage in %, and in brackets"
    " the factor by which the median interval reaches to either side.",
]


def shapes(form: Form) -> list[Shape]:
    """Of one experiment each."""
    blocks = SHORT_BLOCKS if form == Form.SHORT else BLOCKS
    return [Shape(count, ROUNDS, arms, experiments=1) for count in blocks for arms in ARMS]


def name_of(shape: Shape) -> str:
    """Of the case."""
    return f"p99, {shape.name}"


def run(shape: Shape, _number: int) -> Figures:
    """All kinds of stalls; the figures of a cell carry its name."""
    figures: Figures = {}
    for name, stalls in STALLS.items():
        figures |= {f"{name}/{key}": value for key, value in cell(shape, name, stalls, EXPERIMENTS).items()}
    return figures


def cases(section: str, form: Form) -> list[Case]:
    """One of each shape."""
    settings: dict[str, object] = {"experiments": EXPERIMENTS, "requests": REQUESTS}
    return [
        Reckoned(section, name_of(shape), partial(run, shape), 1, settings, seconds=3.0 * shape.blocks)
        for shape in shapes(form)
    ]


def part(section: str, form: Form, done: Sorted) -> Part:
    """A row for each number of blocks and arms."""
    by_shape = {shape: figures for shape in shapes(form) for figures in done.of(section, name_of(shape))}
    cells = [(shape, name) for shape in by_shape for name in STALLS]
    chances = [
        probability_of_so_few(by_shape[shape][f"{name}/holds"], by_shape[shape][f"{name}/experiments"], LEAST)
        for shape, name in cells
    ]
    low = {cells[number][0] for number in too_low(chances)}
    rows, words = [], []
    for shape in shapes(form):
        figures = by_shape.get(shape)
        words.append(unfinished(0, 1) if figures is None else "no" if shape in low else "yes")
        shown = [""] * len(STALLS) if figures is None else [_shown(figures, name) for name in STALLS]
        rows.append([f"{shape.blocks} x {shape.rounds}", str(shape.arms), *shown, words[-1]])
    return Part(PROSE, COLUMNS, rows, words)


def _shown(figures: Figures, name: str) -> str:
    """`96.2 (x 1.4)`."""
    share = figures[f"{name}/holds"] / figures[f"{name}/experiments"]
    return f"{share * 100:.1f} (x {_factor(figures[f'{name}/factor'])})"


def _factor(factor: float) -> str:
    """`1.22`; of a width that says nothing, that it is beyond `WIDE`."""
    return f"{factor:.3g}" if factor <= WIDE else f"> {WIDE}"
