"""Weights in and out: one safetensors file a net, with metadata that says what it is and is checked on load."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load, save

from searchdou.errors import SearchDouError
from searchdou.nets._net_kernels import WIDE, Net
from searchdou.nets._vector_kernels import HIDDEN, LANES

FORMAT = "searchdou-net-2"          # rows in 8 bits, each with a scale of its own; all else in half precision
HALVES = "searchdou-net-1"          # all in half precision: read, not written any more
WIDTH = 256                         # of an accumulator, unless said otherwise
_DENSE = ("b1", "w2", "b2", "bias", "w1", "w3", "b3")       # in the order of the compiled pass
_LAYERS = ("rows", *_DENSE)
Arrays = dict[str, npt.NDArray[np.float32]]


class BadWeights(SearchDouError):
    """A weights file that cannot be used, and why."""


@dataclass(frozen=True)
class Sizes:
    """The shape of a net."""

    features: int
    heads: int = 1
    width: int = WIDTH
    hidden: int = HIDDEN

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of every tensor by name."""
        return {"rows": (self.features, self.width), "bias": (self.width,), "w1": (self.width, self.hidden),
                "b1": (self.hidden,), "w2": (self.hidden, self.hidden), "b2": (self.hidden,),
                "w3": (self.heads, self.hidden), "b3": (self.heads,)}


@dataclass(frozen=True)
class Kind:
    """Which net a program expects: weights made for anything else are refused."""

    game: str
    view: str            # "open" or "averaged"
    features: int        # how many
    version: int         # of the features
    heads: int = 1


@dataclass(frozen=True)
class Weights:
    """A net's numbers and what is known of them."""

    kind: Kind
    arrays: Arrays
    meta: dict[str, str]

    @property
    def sizes(self) -> Sizes:
        return Sizes(self.arrays["rows"].shape[0], self.arrays["w3"].shape[0], self.arrays["rows"].shape[1])

    def net(self, most: int = 256) -> Net:
        """For the compiled pass, with scratch of its own: one a thread; `most` features are on at once."""
        dense = np.concatenate([self.arrays[name].ravel() for name in _DENSE])
        return Net(self.arrays["rows"], dense, np.zeros(WIDE + 2 * self.sizes.width, np.float32), np.zeros(most, np.int64),
                   np.zeros(most, np.float32))

    def widened(self, width: int, seed: int = 0) -> Weights:
        """The same function by a wider accumulator: the new units look at random features and nothing looks at them yet."""
        old = self.sizes
        if width < old.width:
            raise SearchDouError(f"a net {old.width} wide cannot be widened to {width}")
        fresh = random_weights(self.kind, Sizes(old.features, old.heads, width), seed).arrays
        fresh["w1"][:] = 0.0
        for name in ("rows", "bias"):
            fresh[name][..., :old.width] = self.arrays[name]
        fresh["w1"][:old.width] = self.arrays["w1"]
        return Weights(self.kind, {**self.arrays, **{name: fresh[name] for name in ("rows", "bias", "w1")}}, self.meta)


def random_weights(kind: Kind, sizes: Sizes, seed: int = 0) -> Weights:
    """A net that has learned nothing."""
    rng = np.random.default_rng(seed)
    arrays = {}
    for name, shape in sizes.shapes().items():
        spread = 0.1 if name == "rows" else 0.0 if len(shape) == 1 else (2.0 / shape[0]) ** 0.5
        arrays[name] = (spread * rng.standard_normal(shape)).astype(np.float32)
    return Weights(kind, arrays, {"run": "random", "seed": str(seed)})


def save_weights(path: str | Path, weights: Weights) -> None:
    """Write the file at once or not at all: rows in 8 bits by the largest of each, which changes no choice that matters
    (benchmarks/RESULTS.md), the rest in half precision."""
    path = Path(path)
    meta = {**weights.meta, "format": FORMAT, "game": weights.kind.game, "view": weights.kind.view,
            "version": str(weights.kind.version)}
    rows = weights.arrays["rows"]
    scale = (np.abs(rows).max(axis=1) / 127).astype(np.float32)
    tensors: dict[str, Any] = {name: weights.arrays[name].astype(np.float16) for name in _DENSE}
    tensors["rows"] = np.rint(rows / np.where(scale > 0, scale, 1)[:, None]).astype(np.int8)
    data = save({name: np.ascontiguousarray(tensor) for name, tensor in {**tensors, "scale": scale}.items()}, meta)
    part = path.with_suffix(path.suffix + ".part")
    part.write_bytes(data)
    part.replace(path)


def load_weights(path: str | Path, kind: Kind) -> Weights:
    """Read a file and check that it is whole and made for `kind`; `BadWeights` says what is wrong."""
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadWeights(f"weights {path}: cannot be read ({error.strerror})") from None
    meta = _metadata(path, data)
    try:
        tensors = load(data)
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise BadWeights(f"weights {path}: damaged or cut short ({error})") from None
    if meta.get("format") not in (FORMAT, HALVES):
        raise BadWeights(f"weights {path}: not weights of SearchDou (format {meta.get('format', 'unknown')!r}, "
                         f"expected {FORMAT!r})")
    for what, found, wanted in (("game", meta.get("game"), kind.game), ("view", meta.get("view"), kind.view),
                                ("version of the features", meta.get("version"), str(kind.version))):
        if found != wanted:
            raise BadWeights(f"weights {path}: made for {what} {found!r}, not {wanted!r}")
    _check_tensors(path, tensors, kind, meta["format"])
    arrays = {name: np.ascontiguousarray(tensors[name], np.float32) for name in _LAYERS}
    if meta["format"] == FORMAT:
        with np.errstate(over="ignore"):
            arrays["rows"] *= tensors["scale"][:, None]
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise BadWeights(f"weights {path}: {name} holds numbers that are not finite")
    return Weights(kind, arrays, meta)


def _metadata(path: Path, data: bytes) -> dict[str, str]:
    """The metadata in a file's header, which the numpy reader leaves out."""
    try:
        (length,) = struct.unpack("<Q", data[:8])
        meta = json.loads(data[8:8 + length]).get("__metadata__", {})
    except (struct.error, ValueError, AttributeError):
        raise BadWeights(f"weights {path}: not a safetensors file, or cut short") from None
    return dict(meta)


def _check_tensors(path: Path, tensors: dict[str, Any], kind: Kind, form: str) -> None:
    vectors = ("bias", "b1", "b2", "b3", "scale")
    for name in (*_LAYERS, "scale") if form == FORMAT else _LAYERS:
        if name not in tensors:
            raise BadWeights(f"weights {path}: no tensor {name!r}")
        if tensors[name].ndim != (1 if name in vectors else 2):
            raise BadWeights(f"weights {path}: {name} has shape {tensors[name].shape}")
    heads, width = tensors["w3"].shape[0], tensors["rows"].shape[1]
    if heads != kind.heads or width < LANES or width % LANES:
        raise BadWeights(f"weights {path}: {heads} heads on an accumulator {width} wide; it takes {kind.heads} on a "
                         f"multiple of {LANES}")
    shapes = {**Sizes(kind.features, heads, width).shapes(), "scale": (kind.features,)}
    for name, shape in shapes.items():
        if name in tensors and tensors[name].shape != shape:
            raise BadWeights(f"weights {path}: {name} has shape {tensors[name].shape}, expected {shape}")


def shipped(name: str, kind: Kind) -> Weights:
    """Weights that came with the package, by file name."""
    with as_file(files("searchdou") / "weights" / name) as path:
        return load_weights(path, kind)


def kept(name: str, kind: Kind, folder: str = "") -> Weights:
    """Weights read once a process and shared by all who play with them; read again when the file has changed."""
    if not folder:
        return _read(name, kind, "", 0)
    path = Path(folder) / name
    return _read(name, kind, folder, path.stat().st_mtime_ns if path.exists() else 0)


@cache
def _read(name: str, kind: Kind, folder: str, changed: int) -> Weights:
    return load_weights(Path(folder) / name, kind) if folder else shipped(name, kind)
