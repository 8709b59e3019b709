"""The measures: pure functions on batched arrays, each with its record."""
