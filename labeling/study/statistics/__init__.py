"""What the judgements of a study say: arrays in, small dataclasses out; nothing of Django."""
