"""Finding methods whose name alone changed between two versions of Java files. Plain Python, no Django."""
