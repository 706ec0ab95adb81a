"""Coverage over a grid of blocks, rounds, arms, experiments and kinds of restarts. A section of the truth's page."""

from __future__ import annotations

from functools import partial

from tools.truth.form import Form
from tools.truth.lines import Case, Figures, Reckoned, Sorted
from tools.truth.page.part import Part, Section, unfinished
from tools.truth.sections.coverage import tails_part
from tools.truth.sections.coverage.cell import cell
from tools.truth.sections.coverage.judge import probability_of_so_few, too_low
from tools.truth.sections.coverage.noise import Scenario, Shape, a_quarter, log_normal, same

SECTION = "coverage"
EXPERIMENTS = 2000
BLOCKS, ROUNDS, ARMS, RECORDS = (2, 3, 4, 6, 10), (2, 8, 20), (1, 2, 4), (1, 3)
SHORT_BLOCKS, SHORT_ROUNDS = (2, 3, 6), (2, 8)
LEAST, LEAST_OF_FEW = 0.94, 0.92
MEAN_LEAST = 0.95
FEW = 4  # contrasts of a record: with fewer nothing is learned across arms
SCENARIOS = {
    "no restart spread": Scenario(same(0.0)),
    "1 %": Scenario(same(0.01)),
    "3 %": Scenario(same(0.03)),
    "5 %": Scenario(same(0.05)),
    "a quarter of arms 5 %": Scenario(a_quarter(0.05)),
    "a quarter 10 %": Scenario(a_quarter(0.10)),
    "log-normal about 2 %": Scenario(log_normal(0.02, 0.8)),
    "5 % of blocks off": Scenario(same(0.01), outliers=0.05),
    "t with 3 degrees": Scenario(same(0.01), tails=3.0, bad_minutes=0.7),
}
WILD = "10 %, few contrasts"
LUCK = "workers' luck"
OF_FEW = {WILD: Scenario(same(0.10))}
NOT_JUDGED = {LUCK: Scenario(same(0.0), slow_starts=0.5)}
COLUMNS = ["blocks x rounds", *(f"{name}:" for name in [*SCENARIOS, *OF_FEW, *NOT_JUDGED]), "holds"]
PROSE = [
    "Simulated records, where the truth is known: slices of 3 % noise and more or less by arm, heavy tails, bad minutes"
    " that all arms of a block share, slices in a row that are alike, and restarts that differ as the column says."
    f" Records of {' or '.join(map(str, RECORDS))} experiments with {', '.join(map(str, ARMS))} arms beside the"
    f" baseline; {EXPERIMENTS:,} experiments in each cell of blocks, rounds, arms, experiments and column. The analysis"
    " is hopcost's own. A cell counts the experiments in which the intervals of all arms hold the truth.",
    f"No cell may be significantly below {LEAST:.0%} (one-sided, Holm over all cells), nor their mean below"
    f" {MEAN_LEAST:.0%}. Where fewer than {FEW} comparisons all have a restart spread of 10 % the bar is"
    f" {LEAST_OF_FEW:.0%}. *Workers' luck*: in half of the starts an arm is 20 % slower; not judged, for such starts"
    " have no middle. In the table: the lowest coverage of the row's records, in %, and in brackets the median"
    f" half-width of {RECORDS[-1]} x {ARMS[-1]} arms; of few contrasts of {RECORDS[0]} x {ARMS[0]}.",
]


def shapes(form: Form) -> list[Shape]:
    """All of the grid, or a corner of it that is judged within a minute or two."""
    is_short = form == Form.SHORT
    return [
        Shape(blocks, rounds, arms, experiments)
        for blocks in (SHORT_BLOCKS if is_short else BLOCKS)
        for rounds in (SHORT_ROUNDS if is_short else ROUNDS)
        for arms in ((ARMS[0], ARMS[-1]) if is_short else ARMS)
        for experiments in RECORDS
    ]


def scenarios_of(shape: Shape) -> dict[str, Scenario]:
    """Those that the shape is put to."""
    few = OF_FEW if shape.arms * shape.experiments < FEW else {}
    return {**SCENARIOS, **few, **NOT_JUDGED}


def run(shape: Shape, _number: int) -> Figures:
    """All scenarios of a shape; the figures of a cell carry its scenario's name."""
    figures: Figures = {}
    for name, scenario in scenarios_of(shape).items():
        figures |= {f"{name}/{key}": value for key, value in cell(shape, name, scenario, EXPERIMENTS).items()}
    return figures


class Coverage(Section):
    """Coverage of the intervals of all arms together."""

    key = SECTION
    heading = "# The interval, on simulated records"
    asks = "A range holds the truth as often as it says, on simulated records"
    short_s = 200.0

    def cases(self) -> list[Case]:
        """One of each shape, of the grid and for p99."""
        settings: dict[str, object] = {"experiments": EXPERIMENTS}
        grid = [
            Reckoned(SECTION, shape.name, partial(run, shape), 1, settings, seconds=5.0) for shape in shapes(self.form)
        ]
        return [*grid, *tails_part.cases(SECTION, self.form)]

    def parts(self, done: Sorted) -> list[Part]:
        """The grid, and p99."""
        return [self._grid(done), tails_part.part(SECTION, self.form, done)]

    def adds(self, done: Sorted) -> str:
        """What of the grid is not judged, and how often its intervals hold the truth."""
        by_shape = self._by_shape(done)
        shares = [figures[f"{LUCK}/holds"] / figures[f"{LUCK}/experiments"] for figures in by_shape.values()]
        if not shares:
            return ""
        return (
            "Not judged: if an arm is 20 % slower in half of its starts, all intervals hold the truth in"
            f" {min(shares):.1%} of the experiments in the worst cell."
        )

    def _by_shape(self, done: Sorted) -> dict[Shape, Figures]:
        return {shape: figures for shape in shapes(self.form) for figures in done.of(SECTION, shape.name)}

    def _grid(self, done: Sorted) -> Part:
        """A row for each number of blocks and rounds."""
        by_shape = self._by_shape(done)
        low = {judged[0] for judged in significantly_low(by_shape)}
        rows, words = [], []
        for blocks, rounds in dict.fromkeys((shape.blocks, shape.rounds) for shape in shapes(self.form)):
            wanted = [shape for shape in shapes(self.form) if (shape.blocks, shape.rounds) == (blocks, rounds)]
            own = {shape: by_shape[shape] for shape in wanted if shape in by_shape}
            word = "no" if low & {shape.name for shape in own} else "yes"
            words.append(word if len(own) == len(wanted) else unfinished(len(own), len(wanted)))
            names = [*SCENARIOS, *OF_FEW, *NOT_JUDGED]
            rows.append([f"{blocks} x {rounds}", *(_shown(own, name) for name in names), words[-1]])
        if not by_shape:
            return Part(PROSE, COLUMNS, rows, words)
        mean = mean_coverage(by_shape)
        words.append("yes" if mean >= MEAN_LEAST else "no")
        return Part(PROSE, COLUMNS, rows, words, [_summary(by_shape, mean)])


def judged_cells(by_shape: dict[Shape, Figures]) -> list[tuple[str, str, float, float]]:
    """Shape, scenario, coverage, and the probability of so few where the bar is just met; of all cells with a bar."""
    judged = []
    for shape, figures in by_shape.items():
        for name in scenarios_of(shape):
            if name not in NOT_JUDGED:
                least = LEAST_OF_FEW if name in OF_FEW else LEAST
                holds, experiments = figures[f"{name}/holds"], figures[f"{name}/experiments"]
                probability = probability_of_so_few(holds, experiments, least)
                judged.append((shape.name, name, holds / experiments, probability))
    return judged


def significantly_low(by_shape: dict[Shape, Figures]) -> list[tuple[str, str, float, float]]:
    """Those of them that break the promise."""
    judged = judged_cells(by_shape)
    return [judged[cell] for cell in too_low([probability for *_, probability in judged])]


def mean_coverage(by_shape: dict[Shape, Figures]) -> float:
    """Over the cells with a bar of 94 %."""
    shares = [coverage for _, name, coverage, _ in judged_cells(by_shape) if name in SCENARIOS]
    return sum(shares) / len(shares)


def _shown(own: dict[Shape, Figures], name: str) -> str:
    """`94.6 (±5.2 %)`."""
    with_it = {shape: figures for shape, figures in own.items() if name in scenarios_of(shape)}
    if not with_it:
        return ""
    lowest = min(figures[f"{name}/holds"] / figures[f"{name}/experiments"] for figures in with_it.values())
    largest = max(with_it, key=lambda shape: shape.arms * shape.experiments)
    smallest = min(with_it, key=lambda shape: shape.arms * shape.experiments)
    width = with_it[smallest if name in OF_FEW else largest][f"{name}/width"]
    return f"{lowest * 100:.1f} (±{width * 100:.1f} %)"


def _summary(by_shape: dict[Shape, Figures], mean: float) -> str:
    judged = judged_cells(by_shape)
    lowest = min((cell for cell in judged if cell[1] in SCENARIOS), key=lambda cell: cell[2])
    low = significantly_low(by_shape)
    tails = [
        figures[f"{name}/{tail}"] / figures[f"{name}/experiments"]
        for figures in by_shape.values()
        for name in SCENARIOS
        for tail in ("above", "below")
    ]
    listed = "; ".join(f"{shape}, {name}: {coverage:.1%}" for shape, name, coverage, _ in low)
    return (
        f"{len(judged)} cells. Mean {mean:.1%}; the lowest with a bar of {LEAST:.0%} has {lowest[2]:.1%} ({lowest[0]},"
        f" {lowest[1]}). Wrong in one direction, simultaneous: {sum(tails) / len(tails):.1%} on average, at most"
        f" {max(tails):.1%}. Significantly below the bar: {listed or 'none'}."
    )
