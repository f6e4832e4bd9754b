"""How far they agree: coefficients with intervals."""
