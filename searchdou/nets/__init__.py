"""Small nets that run in microseconds: a torch module to train, a compiled pass to play, files between them."""

from searchdou.nets.files import BadWeights, Kind, Sizes, Weights, load_weights, random_weights, save_weights, shipped

__all__ = ["BadWeights", "Kind", "Sizes", "Weights", "load_weights", "random_weights", "save_weights", "shipped"]
