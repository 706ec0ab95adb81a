"""Where the history is if nobody says otherwise. It loads nothing of the database."""

from __future__ import annotations

from pathlib import Path

import platformdirs

FILE = "history.sqlite"


def default_file() -> Path:
    """Below XDG_DATA_HOME."""
    return platformdirs.user_data_path("hopcost") / FILE
