"""The report as one HTML file that needs nothing else: charts and what draws them, tables, configuration."""

from __future__ import annotations

from hopcost.report.html.page import render as render
