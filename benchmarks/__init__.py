"""Measurements of speed beside other packages: ``python -m benchmarks``."""
