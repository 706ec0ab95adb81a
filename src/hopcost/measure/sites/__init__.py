"""Blocks over several sites: a site is a stacks' machine, by itself or with a generator's machine.

`loop.py` decides which site measures what (by `dispatch.py`, pure) and writes the record. `there` runs on a site. Only
`dask` knows Dask: it carries whole blocks, and nothing of a block's inside.
"""
