"""The measuring loop: blocks of all arms until the answer is precise enough."""
