"""The highest offered rate that holds objectives: what a record of `hopcost capacity` says. Pure."""

DEFAULT_TIME, DEFAULT_ERRORS = "p99<50ms", "errors<0.1%"  # here, so that --help needs no structures
