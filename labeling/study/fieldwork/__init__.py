"""While a study runs: who is invited, who is where, and what looks odd. Masked: nothing here reads an origin."""
