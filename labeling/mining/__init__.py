"""Reviews and patches become review–rename items; the engine here is plain Python that imports no Django."""
