"""Which review comment asked for a rename: names and comments compared, evidence weighed. Plain Python, no Django."""
