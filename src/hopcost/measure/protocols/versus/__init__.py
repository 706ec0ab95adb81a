"""`hopcost vs`: servers that run already, side by side. They are found, asked, and measured as arms of one suite."""
