"""Trials on the workers of a Dask cluster, with the results of a local run."""
