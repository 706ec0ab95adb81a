"""`hopcost front`: learn an app, build a suite of fronts before it, measure that, and read the advice."""
