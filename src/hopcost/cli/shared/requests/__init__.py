"""The words of a verb as a request, and what the verb prints before it measures."""
