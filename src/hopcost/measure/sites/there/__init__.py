"""What runs on a site: the leader, which measures blocks, and the lifeline, with which everything ends."""
