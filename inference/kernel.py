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

try:
    import fcntl
except ImportError:      # Windows: processes that start together compile the same kernels, each for itself
    fcntl = None  # type: ignore[assignment]

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
        path = self._path(key)
        found = self._read(path)
        if found is None and _claims.take(path):    # another process has just compiled it, or is about to have
            found = self._read(path)
            if found is not None:
                _claims.give_back(path)
        return found

    def _read(self, path: Path) -> Any:
        try:
            return pickle.loads(path.read_bytes())
        except Exception:  # not there, cut short, or written by another version: compile (again)
            return None

    def save(self, key: str, data: Any) -> None:
        path = self._path(key)
        _make_folder(path.parent)
        self._write(path, data)
        _claims.give_back(path)

    def _write(self, path: Path, data: Any) -> None:
        spare = path.with_name(f"{path.name}.{os.getpid()}.{uuid.uuid4().hex[:8]}")
        try:
            spare.write_bytes(dumps(data))
            spare.replace(path)
        except OSError as error:
            print(f"compiled kernels cannot be kept: {error}", file=sys.stderr)

    def flush(self) -> None:
        """Nothing: files of other fingerprints are removed when a new one begins."""


class _Claims:
    """Which kernels this process is compiling: another that needs the same one waits for it instead of compiling too.

    A claim is a lock on a file, which the system gives back when its process ends. Callees are compiled while their
    callers are claimed and never the other way round, so no two processes wait for each other.
    """

    WAIT = 180.0        # seconds; then it is compiled after all, for instance because there it could not be

    def __init__(self) -> None:
        self.held: dict[Path, Any] = {}

    def take(self, path: Path) -> bool:
        """Claim a file that is to be made; True when it is ours. Waits while it is another's."""
        if fcntl is None or path in self.held:
            return False
        try:
            _make_folder(path.parent)
            lock = path.with_suffix(".lock").open("w")
        except OSError:
            return False                # `save` says what is wrong
        until = time.monotonic() + self.WAIT
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                if time.monotonic() > until:
                    lock.close()
                    return False
                time.sleep(0.02)
            else:
                self.held[path] = lock
                return True

    def give_back(self, path: Path) -> None:
        """Let others go on."""
        lock = self.held.pop(path, None)
        if lock is not None:
            path.with_suffix(".lock").unlink(missing_ok=True)
            lock.close()


_claims = _Claims()
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
