"""What a stack consists of on this machine: addresses, settings, command lines, files. Nothing is started."""
