"""hopcost measures what every hop in front of a web application costs."""

__version__ = "0.1.0"
