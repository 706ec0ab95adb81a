"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None

DIGEST = sa.String(64)
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Records, and their labels, contents and points."""
    op.create_table(
        "hopcost_records",
        sa.Column("digest", DIGEST, primary_key=True),
        sa.Column("run", DIGEST, nullable=False, unique=True),
        sa.Column("blocks", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("path", "suite", "question")),
        sa.Column("started", MOMENT, nullable=False),
        sa.Column("kept", MOMENT, nullable=False),
        sa.Column("machine", DIGEST, nullable=False),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("hopcost", sa.Text, nullable=False),
        sa.Column("method", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("kernel", "cpu", "programs", "cautions", "search")),
    )
    op.create_index("hopcost_records_newest", "hopcost_records", ["started", "digest"])
    op.create_index("hopcost_records_suite", "hopcost_records", ["suite", "started"])
    op.create_table(
        "hopcost_labels",
        _digest_of_record(),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
        sa.Column("search", sa.Text, nullable=False),
    )
    op.create_index("hopcost_labels_value", "hopcost_labels", ["name", "value"])
    op.create_table(
        "hopcost_contents",
        _digest_of_record(),
        sa.Column("environment", sa.Text, nullable=False),
        sa.Column("summary", sa.Text, nullable=False),
    )
    op.create_table(
        "hopcost_points",
        _digest_of_record(),
        *(sa.Column(name, sa.Text, primary_key=True) for name in ("experiment", "arm", "figure")),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("suite", "baseline")),
        sa.Column("configuration", DIGEST, nullable=False),
        sa.Column("ratio", sa.Double, nullable=False),
        *(sa.Column(name, sa.Double) for name in ("low", "high", "standard_error")),
        sa.Column("starts", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Double) for name in ("value", "baseline_value")),
        sa.Column("unit", sa.Text, nullable=False),
        sa.Column("blocks", sa.Text, nullable=False),
    )
    op.create_index("hopcost_points_arm", "hopcost_points", ["suite", "experiment", "arm", "figure", "digest"])


def _digest_of_record() -> sa.Column[str]:
    """The record that a row belongs to, and goes with."""
    return sa.Column("digest", DIGEST, sa.ForeignKey("hopcost_records.digest", ondelete="CASCADE"), primary_key=True)
