"""The science of agreement in plain Python and numpy: arrays in, small dataclasses out; nothing of Django."""
