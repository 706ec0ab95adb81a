"""How other machines are reached: their names, the login, one connection each, and the scripts that run there."""
