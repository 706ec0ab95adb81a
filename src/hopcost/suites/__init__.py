"""What to measure: the suite file, strict and consistent."""
