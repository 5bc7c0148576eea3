"""A net evaluation, compiled and by torch, on one core: python benchmarks/nets.py [--json] [--positions 2000]

Positions of random games, the shipped weights of Gongzhu. Torch gets its input ready-made (a dense vector); the compiled
pass is timed both on ready-made sparse features and with the encoding of the position counted. CPU time, the median of
15 rounds in turn, one run; the largest difference between the two is printed beside.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable

import numpy as np
from _nets_kernels import evaluate_all, heads, value_open, value_seen

from inference._rng_kernels import below, stream
from searchdou.games.gongzhu import _encode_kernels, _kernels, encode
from searchdou.nets._net_kernels import forward_sparse
from searchdou.nets.files import kept
from searchdou.progress import each
from searchdou.train._scrofa_kernels import FIELDS, write_row


def positions(n: int) -> np.ndarray:
    """Random games stopped anywhere before their last trick."""
    rng, deck, out = stream(3), _kernels.full_deck(), np.empty(16, np.int64)
    rows = np.zeros((n, FIELDS), np.int64)
    for row in rows:
        position = _kernels.deal(deck, int(below(rng, 4)), rng)
        for _ in range(int(below(rng, 48))):
            position = _kernels.step(position, int(out[int(below(rng, _kernels.legal(position, out)))]))
        write_row(position, -1, row)
    return rows


def seconds(tasks: dict[str, Callable[[], object]], rounds: int = 15) -> dict[str, float]:
    """CPU seconds of one call of each, the median of `rounds` in turn, after one that compiles."""
    spent: dict[str, list[float]] = {name: [] for name in tasks}
    for number in each(range(rounds + 1), f"measuring {len(tasks)} ways to evaluate", "rounds"):
        for name, work in tasks.items():
            began = time.process_time()
            work()
            if number:
                spent[name].append(time.process_time() - began)
    return {name: float(np.median(values)) for name, values in spent.items()}


def run(as_json: bool = False, positions_: int = 2000) -> dict[str, float]:
    import torch

    from searchdou.nets.module import NetModule
    torch.set_num_threads(1)
    rows = positions(positions_)
    weights = kept(encode.ORACLE_FILE, encode.OPEN)
    oracle, blueprint = encode.oracle_in(), encode.blueprint_in()
    module = NetModule(weights.sizes).eval()
    module.set_arrays(weights.arrays)
    x = torch.zeros(len(rows), encode.FEATURES)
    sparse = []
    for b, row in enumerate(rows):
        features = encode.features(_kernels.Position(*map(int, row[:15])))
        sparse.append(features)
        for feature, on in features.items():
            x[b, feature] = on
    starts = np.cumsum([0, *map(len, sparse)])
    ids = np.array([f for features in sparse for f in features], np.int64)
    on = np.array([v for features in sparse for v in features.values()], np.float32)
    single, out, values, q = np.zeros((len(rows), 1), np.float32), np.empty(16, np.int64), np.empty(len(rows)), np.empty(16)
    few = [x[b:b + 1] for b in range(min(300, len(rows)))]
    n = len(rows)
    with torch.inference_mode():
        expected = module(x)[:, 0].numpy()
        found = seconds({
            "torch_batch_1": lambda: [module(one) for one in few], "torch_batch": lambda: module(x),
            "compiled": lambda: forward_sparse(oracle.net, starts, ids, on, single),
            "compiled_with_encoding": lambda: evaluate_all(oracle, rows, stream(0), out, values),
            "dense_layers": lambda: heads(oracle.net, n), "open_card": lambda: value_open(oracle, rows, out, q),
            "seen_card": lambda: value_seen(blueprint, rows, out, q)})
    cards = value_open(oracle, rows, out, q)
    for name, calls in (("torch_batch_1", len(few)), ("open_card", cards), ("seen_card", cards)):
        found[name] *= n / calls
    found = {name: value / n for name, value in found.items()}
    by_torch = found["torch_batch_1"]
    result = {f"{name}_us": 1e6 * value for name, value in found.items()}
    result |= {"times_torch_batch_1": by_torch / found["compiled"],
               "times_torch_with_encoding": by_torch / found["compiled_with_encoding"],
               "largest_difference": float(np.abs(single[:, 0] - expected).max()), "features_on": len(ids) / n,
               "positions": n, "most_features": _encode_kernels.MOST}
    if as_json:
        print(json.dumps(result))
        return result
    print(f"Gongzhu oracle, {encode.FEATURES} features ({result['features_on']:.0f} on), 256-32-32-1, {n} positions, CPU "
          "time\n")
    print("| evaluation | us | torch at batch 1 takes |\n|---|---|---|")
    for name, label in (("torch_batch_1", "torch, one position (input ready)"),
                        ("torch_batch", f"torch, {n} positions at once, each"),
                        ("compiled", "compiled, one position (input ready)"),
                        ("compiled_with_encoding", "compiled, one position, encoding counted"),
                        ("dense_layers", "compiled, dense layers alone"),
                        ("open_card", "compiled, a legal card, all cards of a position at once, open"),
                        ("seen_card", "compiled, a legal card, all cards of a position at once, as a seat sees it")):
        print(f"| {label} | {result[name + '_us']:.2f} | {by_torch / found[name]:.1f} x |")
    print(f"\nlargest difference between compiled and torch: {result['largest_difference']:.1e} (in hundreds of points)")
    return result


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--positions", type=int, default=2000)
    given = parser.parse_args()
    run(given.json, given.positions)
