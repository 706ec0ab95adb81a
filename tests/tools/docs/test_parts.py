"""The page of the articles' claims: a part for each suite, and the sentence over all of them."""

from __future__ import annotations

from pathlib import Path

from samples.questions.claims import measured, with_claims

from tools.docs.claims import parts
from tools.markdown import part

PAGE = """# Do the articles' claims hold?

<!-- all: begin -->

Of 1 claims 0 hold.

<!-- all: end -->

## made-up

<!-- made-up: begin -->

| outcome | claim |
| --- | --- |
| not settled | Of an older day. |

<!-- made-up: end -->

## other

<!-- other: begin -->

| outcome | claim |
| --- | --- |
| holds | It stays as it was. |
| not settled | This too. |

<!-- other: end -->
"""


def test_what_wrk_and_h2load_both_contradict_counts_as_not_settled() -> None:
    row = "| costs-much | does not hold | b ÷ a in x | 43 % (38–48) | 45 % (…) | 56 % (…) | 54 % (…) |"
    page = "| outcome | claim |\n| --- | --- |\n| does not hold | It costs much. |\n| holds | It is fast. |\n"
    assert "1 hold here, 1 do not, 0 are not settled" in " ".join(parts.counted(f"{page}\n{row}  |\n").split())
    said = " ".join(parts.counted(f"{page}\n{row} against |\n").split())
    assert "1 hold here, 0 do not, 1 are not settled" in said and said.endswith("what wrk and h2load both say.")


def test_a_suites_claims_replace_its_part_and_all_are_counted_anew(tmp_path: Path) -> None:
    page = tmp_path / "claims.md"
    page.write_text(PAGE, encoding="utf-8")
    parts.write(page, with_claims(), [measured()])
    text = page.read_text(encoding="utf-8")
    assert " ".join(part(text, "all").split()) == (
        "Of 5 claims 2 hold here, 1 do not, 1 are not settled and 1 cannot be tested here."
    )
    assert part(text, "other") == part(PAGE, "other")
    own = part(text, "made-up")
    assert "Of an older day" not in own
    assert own.startswith("**Of 3 claims 1 holds, 1 does not hold, 1 cannot be tested here.**")
    assert "method 1, 2025-01-02T03:04:05Z" in own.partition("| outcome")[0]
    assert "### made-up: costs-much: holds" in own.partition("<summary>Details</summary>")[2]
