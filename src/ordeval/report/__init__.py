"""Presentation: neutral tables, the formats they are written in, figures and the HTML report."""
