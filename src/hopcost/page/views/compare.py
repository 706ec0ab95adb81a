"""Two records side by side, as `hopcost compare` shows them."""

from __future__ import annotations

from functools import lru_cache

from hopcost.errors import UsageError
from hopcost.history.points import KeptRecord
from hopcost.page import links
from hopcost.page.answers import Page
from hopcost.page.asked import BadAddress, Query, read_digest, read_word
from hopcost.page.kept import Kept
from hopcost.page.views.in_turn import in_turn
from hopcost.page.views.record import read_kept
from hopcost.report.document import Element, Heading
from hopcost.report.questions.two_records import comparison_report
from hopcost.statistics.questions.two_records.two_records import compare_records

COMPARISONS_HELD = 16
ANYWAY = "--anyway"


def show_comparison(kept: Kept, query: Query) -> Page:
    """B beside A. Records that should not be compared are refused with the reasons, and a link that does it anyway."""
    a, b = (_asked(kept, query, name) for name in ("a", "b"))
    anyway = read_word(query, "anyway") == "yes"
    content: dict[str, object] = {"a": a, "b": b, "swapped": links.compare(b.digest, a.digest, anyway=anyway)}
    try:
        with in_turn():
            elements = _compared(a.path, a.digest, b.path, b.digest, anyway)
    except UsageError as error:
        is_offered = ANYWAY in (error.hint or "") and not anyway
        link = links.compare(a.digest, b.digest, anyway=True) if is_offered else None
        return Page("refused.html.j2", {**content, "error": error, "anyway": link}, status=409)
    return Page("compare.html.j2", {**content, "elements": elements})


def _asked(kept: Kept, query: Query, name: str) -> KeptRecord:
    word = read_word(query, name)
    if word is None:
        raise BadAddress("two records are compared: A and B", "choose both in the list of records")
    return kept.record(read_digest(word, name))


@lru_cache(COMPARISONS_HELD)
def _compared(path_a: str, digest_a: str, path_b: str, digest_b: str, anyway: bool) -> list[Element]:
    """The document's elements without its title, which the page has."""
    a, b = read_kept(path_a, digest_a), read_kept(path_b, digest_b)
    document = comparison_report(a, b, compare_records(a, b, anyway=anyway)).document()
    elements = [element for section in document.sections for element in section]
    return [element for element in elements if not (isinstance(element, Heading) and element.level < 3)]
