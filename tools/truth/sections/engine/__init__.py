"""The parts of the section on the load engine, a file each."""
