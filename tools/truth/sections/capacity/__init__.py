"""`hopcost capacity` of servers whose capacity is known: a section of the truth's page."""
