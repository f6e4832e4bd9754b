"""What was settled: cases, their discussion, and decisions."""
