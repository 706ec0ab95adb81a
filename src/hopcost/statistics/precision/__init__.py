"""How precise an answer is or will be, and when a run may stop."""
