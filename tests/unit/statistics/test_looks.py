"""How looks share the error."""

from hopcost.statistics.looks import error_per_look


def test_the_errors_of_all_looks_add_up_to_five_percent() -> None:
    assert error_per_look(1) == 0.05
    assert error_per_look(4) == 0.0125
