"""The fleet on dask.distributed: the one room that knows it. Its packages are those of the extra `fleet`."""
