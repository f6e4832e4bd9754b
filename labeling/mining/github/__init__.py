"""Reading pull requests from GitHub: polite, cached, and sure to say what went wrong. Plain Python, no Django."""
