"""Campaigns that feed ordeval with what nobody should give it: `python -m fuzz`."""
