"""Hops made of programs: started, checked, frozen, stopped."""
