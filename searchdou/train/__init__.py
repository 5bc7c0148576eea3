"""Training, one file an algorithm, readable top to bottom; needs torch (the `train` extra)."""
