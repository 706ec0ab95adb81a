"""What an arm is: its stack, and what its hops can be besides programs: the user's app, configuration, server."""
