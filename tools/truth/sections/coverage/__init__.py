"""Whether the interval of ratios holds the truth as often as it says, on simulated records."""
