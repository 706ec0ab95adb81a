"""Whether changes in a history are found, and no others: a section of the truth's page."""
