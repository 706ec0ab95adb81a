"""What stands below an experiment's table."""
