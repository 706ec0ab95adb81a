"""Whether published claims hold, by what records say."""
