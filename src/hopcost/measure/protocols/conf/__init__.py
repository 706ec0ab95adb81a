"""`hopcost conf`: learn an nginx.conf in its jail, screen what its directives cost, and confirm the best of it."""
