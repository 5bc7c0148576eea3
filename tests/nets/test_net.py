"""The compiled net beside its torch twin, and the files between them."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchdou.errors import SearchDouError
from searchdou.nets import BadWeights, Kind, Sizes, load_weights, random_weights, save_weights
from searchdou.nets import _net_kernels as kernels

KIND = Kind("gongzhu", "open", 90, 3, heads=2)
SIZES = Sizes(90, heads=2)
FEATURES = st.dictionaries(st.integers(0, 89), st.floats(-2, 2, width=32), max_size=30)


def weights(seed: int = 0):
    made = random_weights(KIND, SIZES, seed)
    rng = np.random.default_rng(seed + 1)
    return made.__class__(KIND, {name: array + 0.05 * rng.standard_normal(array.shape).astype(np.float32)
                                 for name, array in made.arrays.items()}, {"run": "a test"})


def put(net, features: dict[int, float]) -> int:
    for k, (feature, on) in enumerate(features.items()):
        net.ids[k], net.on[k] = feature, on
    return len(features)


def accumulator(net, which: int) -> np.ndarray:
    width = net.rows.shape[1]
    return net.work[kernels.WIDE + which * width:kernels.WIDE + (which + 1) * width]


def by_numpy(arrays, features: dict[int, float]) -> np.ndarray:
    """The slow twin, in double precision."""
    x = np.zeros(90)
    for feature, on in features.items():
        x[feature] = on
    a = {name: array.astype(np.float64) for name, array in arrays.items()}
    h = np.maximum(a["bias"] + x @ a["rows"], 0)
    h = np.maximum(a["b1"] + h @ a["w1"], 0)
    h = np.maximum(a["b2"] + h @ a["w2"], 0)
    return a["b3"] + a["w3"] @ h


@pytest.mark.unit
@settings(max_examples=15)
@given(FEATURES)
def test_forward_equals_the_slow_twin(features):
    made = weights()
    net = made.net()
    kernels.refresh(net, put(net, features), kernels.NEXT)
    first = kernels.forward(net, kernels.NEXT)
    expected = by_numpy(made.arrays, features)
    assert net.work[kernels.OUT:kernels.OUT + 2] == pytest.approx(expected, rel=1e-5, abs=1e-5)
    assert first == net.work[kernels.OUT]


@settings(max_examples=50)
@given(FEATURES)
def test_forward_equals_torch(features):
    torch = pytest.importorskip("torch")
    from searchdou.nets.module import NetModule
    made = weights(3)
    module = NetModule(SIZES)
    module.set_arrays(made.arrays)
    x = torch.zeros(1, 90)
    for feature, on in features.items():
        x[0, feature] = on
    net = made.net()
    kernels.refresh(net, put(net, features), kernels.NEXT)
    kernels.forward(net, kernels.NEXT)
    assert net.work[kernels.OUT:kernels.OUT + 2] == pytest.approx(module(x)[0].detach().numpy(), rel=1e-5, abs=1e-5)
    assert {name: array.tolist() for name, array in module.arrays().items()} == {
        name: array.tolist() for name, array in made.arrays.items()}


def test_a_sparse_batch_learns_what_a_dense_one_does():
    torch = pytest.importorskip("torch")
    from searchdou.nets.module import Batch, NetModule
    rng = np.random.default_rng(5)
    x = np.where(rng.random((7, 90)) < 0.2, rng.standard_normal((7, 90)), 0.0).astype(np.float32)
    x[3] = 0.0                                           # a sample with nothing on
    where = [np.flatnonzero(row) for row in x]
    batch = Batch(np.cumsum([0, *map(len, where)]), np.concatenate(where),
                  np.concatenate([row[on] for row, on in zip(x, where, strict=True)]))
    found = {}
    for name, given_ in (("dense", torch.from_numpy(x)), ("sparse", batch)):
        module = NetModule(SIZES)
        module.set_arrays(weights(3).arrays)
        out = module(given_)
        (out ** 2).sum().backward()
        found[name] = out.detach().numpy(), {key: p.grad.numpy() for key, p in module.named_parameters()}
    assert found["sparse"][0] == pytest.approx(found["dense"][0], rel=1e-5, abs=1e-5)
    for key, gradient in found["dense"][1].items():
        assert found["sparse"][1][key] == pytest.approx(gradient, rel=1e-4, abs=1e-4), key


@pytest.mark.unit
@settings(max_examples=10)
@given(FEATURES, FEATURES)
def test_moving_along_equals_beginning_anew(before, change):
    net = weights().net()
    kernels.refresh(net, put(net, before), kernels.HERE)
    kernels.follow(net, put(net, change))
    moved = accumulator(net, kernels.NEXT).copy()
    both = {f: before.get(f, 0.0) + change.get(f, 0.0) for f in before | change}
    kernels.refresh(net, put(net, both), kernels.NEXT)
    assert moved == pytest.approx(accumulator(net, kernels.NEXT), abs=1e-4)
    here = accumulator(net, kernels.HERE).copy()
    accumulator(net, kernels.HERE)[:] = moved     # and back: what goes out leaves nothing behind
    kernels.follow(net, put(net, {f: -on for f, on in change.items()}))
    assert accumulator(net, kernels.NEXT) == pytest.approx(here, abs=1e-4)


def test_a_batch_equals_one_by_one():
    made = weights(5)
    net, rng = made.net(), np.random.default_rng(1)
    sizes = [0, 3, 8, 17, 25]
    starts = np.cumsum([0, *sizes])
    ids, on = rng.integers(0, 90, starts[-1]), rng.standard_normal(starts[-1]).astype(np.float32)
    out = np.zeros((len(sizes), 2), np.float32)
    kernels.forward_sparse(net, starts, ids, on, out)
    for b, n in enumerate(sizes):
        net.ids[:n], net.on[:n] = ids[starts[b]:starts[b + 1]], on[starts[b]:starts[b + 1]]
        kernels.refresh(net, n, kernels.NEXT)
        kernels.forward(net, kernels.NEXT)
        assert out[b].tolist() == net.work[kernels.OUT:kernels.OUT + 2].tolist()


def test_nets_of_one_file_share_weights_not_scratch():
    made = weights()
    one, two = made.net(), made.net()
    assert one.rows is two.rows
    for scratch in ("work", "ids", "on"):
        assert getattr(one, scratch) is not getattr(two, scratch)


# --- files ------------------------------------------------------------------------------------------------------------

def test_a_file_comes_back_with_rows_in_eight_bits(tmp_path):
    made, path = weights(), tmp_path / "a.safetensors"
    made.arrays["rows"][7] = 0.0                           # a feature that says nothing
    save_weights(path, made)
    back = load_weights(path, KIND)
    for name, array in made.arrays.items():
        assert back.arrays[name].dtype == np.float32
        if name != "rows":
            assert back.arrays[name].tolist() == array.astype(np.float16).astype(np.float32).tolist()
    largest = np.abs(made.arrays["rows"]).max(axis=1, keepdims=True)
    assert (np.abs(back.arrays["rows"] - made.arrays["rows"]) <= 0.501 * largest / 127).all()
    assert not back.arrays["rows"][7].any()
    assert back.sizes == SIZES
    assert [back.meta[key] for key in ("run", "game", "view", "version")] == ["a test", "gongzhu", "open", "3"]
    assert list(tmp_path.iterdir()) == [path]              # nothing half-written is left
    save_weights(path, back)                               # what was rounded once is not rounded again
    assert all(np.allclose(load_weights(path, KIND).arrays[name], back.arrays[name], rtol=1e-6) for name in back.arrays)


def test_files_in_half_precision_are_read(tmp_path):
    from safetensors.numpy import save_file
    made, path = weights(), tmp_path / "a.safetensors"
    save_file({name: array.astype(np.float16) for name, array in made.arrays.items()}, path, {
        "format": "searchdou-net-1", "game": "gongzhu", "view": "open", "version": "3"})
    back = load_weights(path, KIND)
    assert all(back.arrays[name].tolist() == array.astype(np.float16).astype(np.float32).tolist()
               for name, array in made.arrays.items())


def test_widened_nets_say_the_same(tmp_path):
    made = weights(4)
    wide = made.widened(384, seed=1)
    assert wide.sizes == Sizes(90, 2, 384)
    assert np.abs(wide.arrays["rows"][:, 256:]).mean() > 0.01       # new units that see something, to learn with
    path = tmp_path / "a.safetensors"
    save_weights(path, wide)
    assert load_weights(path, KIND).sizes == wide.sizes
    nets, rng = (made.net(), wide.net()), np.random.default_rng(2)
    for _ in range(20):
        features = dict(zip(rng.permutation(90)[:20].tolist(), rng.standard_normal(20).tolist(), strict=True))
        for net in nets:
            kernels.refresh(net, put(net, features), kernels.NEXT)
            kernels.forward(net, kernels.NEXT)
        assert nets[1].work[kernels.OUT:kernels.OUT + 2].tolist() == nets[0].work[kernels.OUT:kernels.OUT + 2].tolist()
    with pytest.raises(SearchDouError, match="384 wide cannot be widened to 256"):
        wide.widened(256)


def changed(path, **meta):
    """The file with other metadata."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    header["__metadata__"] |= meta
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data[8 + length:])


def test_files_that_are_refused(tmp_path):
    path = tmp_path / "a.safetensors"

    def refused(words: str, kind: Kind = KIND) -> None:
        with pytest.raises(BadWeights, match=words) as caught:
            load_weights(path, kind)
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)

    refused("cannot be read")
    path.write_bytes(b"")
    refused("not a safetensors file, or cut short")
    path.write_bytes(b"PK\x03\x04 a zip, say, and long enough to have a header of its own")
    refused("not a safetensors file, or cut short")
    save_weights(path, weights())
    whole = path.read_bytes()
    for cut in (len(whole) - 1, len(whole) // 2, 200, 9):
        path.write_bytes(whole[:cut])
        refused("cut short")
    for words, meta in (("not weights of SearchDou", {"format": "other"}), ("made for game 'bridge'", {"game": "bridge"}),
                        ("made for view 'averaged'", {"view": "averaged"}),
                        ("made for version of the features '2'", {"version": "2"})):
        path.write_bytes(whole)
        changed(path, **meta)
        refused(words)
    path.write_bytes(whole)
    refused("rows has shape", Kind("gongzhu", "open", 91, 3, heads=2))
    save_weights(path, random_weights(KIND, Sizes(90, 2, 100)))
    refused("2 heads on an accumulator 100 wide")
    save_weights(path, random_weights(KIND, Sizes(90, 3)))
    refused("3 heads on an accumulator 256 wide; it takes 2")
    broken = weights()
    broken.arrays["rows"][:] = 3e38                       # finite, and so is its scale, but their product is not
    save_weights(path, broken)
    data = bytearray(path.read_bytes())
    length = struct.unpack("<Q", data[:8])[0]
    begin, end = json.loads(data[8:8 + length])["scale"]["data_offsets"]
    data[8 + length + begin:8 + length + end] = np.full((end - begin) // 4, 3e38, np.float32).tobytes()
    path.write_bytes(data)
    refused("rows holds numbers that are not finite")
    broken = weights()
    broken.arrays["w1"][3, 3] = np.nan
    save_weights(path, broken)
    refused("w1 holds numbers that are not finite")


def test_a_file_of_someone_else(tmp_path):
    from safetensors.numpy import save_file
    path = tmp_path / "other.safetensors"
    save_file({"linear.weight": np.zeros((3, 3), np.float32)}, path)
    with pytest.raises(BadWeights, match="not weights of SearchDou"):
        load_weights(path, KIND)
    save_file({"rows": np.zeros((90, 256), np.float16)}, path, {
        "format": "searchdou-net-1", "game": "gongzhu", "view": "open", "version": "3"})
    with pytest.raises(BadWeights, match="no tensor 'b1'"):
        load_weights(path, KIND)
