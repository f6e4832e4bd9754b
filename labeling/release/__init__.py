"""What leaves: the frozen benchmark and its replication package."""
