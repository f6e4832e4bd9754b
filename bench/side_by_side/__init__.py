"""The parts of bench/peers.py: what is measured, with one client for all, and one adapter for each program."""
