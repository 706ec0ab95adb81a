"""What holds for all tests."""

from hypothesis import settings

# No deadline: no test may fail because the machine is busy. Derandomised: what passes here passes everywhere.
settings.register_profile("hopcost", deadline=None, derandomize=True, database=None)
settings.load_profile("hopcost")
