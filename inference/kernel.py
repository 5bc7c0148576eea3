"""`@kernel`: compile with Numba, cache on disk, and never run a stale answer.

Numba's own cache looks only at the file a function stands in, so a cached caller keeps the old body
of a callee that was edited in another file. Here the cache key holds a fingerprint of every kernel
file of every package that has kernels: an edit to any of them retires all that was compiled before.

Kernels live in files named `_kernels.py` or `_<topic>_kernels.py`; the decorator refuses any other, since
the fingerprint covers just these.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
import sys
import time
import uuid
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numba
from numba import types
from numba.core import config, event
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.serialize import dumps

F = TypeVar("F", bound=Callable[..., Any])

HOUSE = Path(__file__).resolve().parent.parent
_roots: dict[Path, None] = dict.fromkeys(HOUSE / name for name in ("inference", "mcts", "searchdou"))


def kernel(function: F) -> F:
    """Compile `function` without the GIL, cached; a plain Python function when the JIT is off.

    Kernels do not validate: ints and arrays in, ints and arrays out.
    """
    path = Path(function.__code__.co_filename)
    if not path.name.endswith("_kernels.py"):
        raise TypeError(f"kernel {function.__qualname__} stands in {path.name}; kernels live in files named "
                        "_kernels.py or _<topic>_kernels.py, which is where the fingerprint looks")
    root = _package_root(path)
    if root not in _roots:
        _roots[root] = None
    _root_fingerprint(root)          # now, while the source is what is being imported
    if config.DISABLE_JIT:
        return function
    dispatcher = numba.njit(nogil=True)(function)
    dispatcher._cache = _KernelCache(function)
    return dispatcher  # type: ignore[no-any-return]


def cache_folder() -> Path:
    """Where compiled kernels are kept: $NUMBA_CACHE_DIR, else the user's cache folder."""
    if config.CACHE_DIR:
        return Path(config.CACHE_DIR)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "searchdou"


def fingerprint() -> str:
    """One hash of all kernel sources in the house and in every package that registered a kernel."""
    digest = hashlib.sha256()
    for root in sorted(_roots):
        digest.update(_root_fingerprint(root))
    return digest.hexdigest()


@cache  # read once, when the code itself was imported: a later edit belongs to the next process
def _root_fingerprint(root: Path) -> bytes:
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*_kernels.py")):
        digest.update(str(path.relative_to(root)).encode())
        digest.update(path.read_bytes())
    return digest.digest()


def _package_root(path: Path) -> Path:
    """The outermost folder around `path` that is still a package."""
    folder = path.resolve().parent
    while (folder.parent / "__init__.py").exists():
        folder = folder.parent
    return folder


class _Locator(_CacheLocator):  # type: ignore[misc]
    """Tells Numba's cache how a kernel's files are called; where they lie is `_Files`' business."""

    def __init__(self, function: Callable[..., Any], path: str) -> None:
        self._line = function.__code__.co_firstlineno
        self._path = path

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        return ""

    def get_disambiguator(self) -> str:
        return hashlib.sha256(f"{self._path}:{self._line}".encode()).hexdigest()[:12]

    @classmethod
    def from_function(cls, function: Callable[..., Any], path: str) -> _Locator:
        return cls(function, path)


class _CacheImpl(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes: ClassVar = [_Locator]


class _Files:
    """One file a compiled kernel and signature, in a folder named by the fingerprint.

    Numba keeps an index a function instead: two processes that compile at once can then swap each other's files,
    and an index that names a type of a package that is gone cannot be read at all.
    """

    def __init__(self, base: str) -> None:
        self.base = base

    def _path(self, key: str) -> Path:
        return cache_folder() / fingerprint()[:16] / f"{self.base}-{hashlib.sha256(key.encode()).hexdigest()[:24]}.nbc"

    def load(self, key: str) -> Any:
        try:
            return pickle.loads(self._path(key).read_bytes())
        except Exception:  # not there, cut short, or written by another version: compile (again)
            return None

    def save(self, key: str, data: Any) -> None:
        path = self._path(key)
        _make_folder(path.parent)
        spare = path.with_name(f"{path.name}.{os.getpid()}.{uuid.uuid4().hex[:8]}")
        try:
            spare.write_bytes(dumps(data))
            spare.replace(path)
        except OSError as error:
            print(f"compiled kernels cannot be kept: {error}", file=sys.stderr)

    def flush(self) -> None:
        """Nothing: files of other fingerprints are removed when a new one begins."""


KEPT = 4     # folders of earlier fingerprints that are left, so that switching branches does not compile anew


def _make_folder(folder: Path) -> None:
    if folder.exists():
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        others = [f for f in folder.parent.iterdir() if f.is_dir() and len(f.name) == 16 and f != folder]
        for old in sorted(others, key=lambda f: f.stat().st_mtime)[:-KEPT]:
            shutil.rmtree(old, ignore_errors=True)
    except OSError:
        return  # `save` says what is wrong


class _KernelCache(FunctionCache):  # type: ignore[misc]
    _impl_class = _CacheImpl

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = _Files(self._impl.filename_base)

    def _index_key(self, sig: Any, codegen: Any) -> str:
        # The fingerprint is taken now, not when the kernel was made: a generic kernel may be specialised for types of a
        # package that was imported after it. Bounds checks change the code but not Numba's own key.
        _, machine, code = super()._index_key(sig, codegen)
        words = [_described(t) for t in sig]
        return "|".join([*words, str(machine), str(code), fingerprint(), str(config.BOUNDSCHECK), numba.__version__])


def _described(t: Any) -> str:
    """A Numba type in words that tell apart two NamedTuples of the same name."""
    if isinstance(t, types.BaseNamedTuple):
        made = t.instance_class
        return f"{made.__module__}.{made.__qualname__}({', '.join(_described(member) for member in t.types)})"
    if isinstance(t, types.BaseTuple):
        return f"({', '.join(_described(member) for member in t)})"
    return str(t)


class _Progress(event.Listener):  # type: ignore[misc]
    """One line on stderr while kernels compile: what is compiled, and that it happens once."""

    def __init__(self) -> None:
        self.depth = 0
        self.count = 0
        self.began = 0.0

    def on_start(self, event: Any) -> None:
        self.depth += 1
        self.count += 1
        if self.count == 1:
            self.began = time.perf_counter()
        function = event.data["dispatcher"].py_func
        if sys.stderr.isatty():
            elapsed = time.perf_counter() - self.began
            sys.stderr.write(f"\r\x1b[2Kcompiling kernels, once: {self.count} ({elapsed:.0f} s) "
                             f"{function.__module__}.{function.__name__} ")
            sys.stderr.flush()
        elif self.count == 1:
            print(f"compiling kernels, once (kept in {cache_folder()}), first "
                  f"{function.__module__}.{function.__name__} ...", file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0 and sys.stderr.isatty():
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()


event.register("numba:compile", _Progress())
