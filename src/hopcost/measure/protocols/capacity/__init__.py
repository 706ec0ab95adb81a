"""`hopcost capacity`: offer each arm one rate after another, in fresh starts, until its capacity is known."""
