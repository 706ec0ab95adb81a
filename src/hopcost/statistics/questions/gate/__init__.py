"""Whether a change stays within its margin."""
