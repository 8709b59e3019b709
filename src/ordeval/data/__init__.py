"""From anything to classes: columns, scales, bins, data, units, and tables of counts."""
