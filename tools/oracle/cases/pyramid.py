"""Hashed n-grams."""

import numpy as np

from cases.table import case, lod, rand

ids = lod(np.array([[3], [7], [1], [9], [4], [4]], "int32"), [3, 1, 2])
hashed = {"X": ids, "W": rand(24, 1), "WhiteList": rand(1, 1), "BlackList": rand(1, 1)}
for settings in ({"pyramid_layer": 2}, {"pyramid_layer": 3}, {"pyramid_layer": 5, "num_emb": 4}):
    sizes = dict(
        {"num_emb": 8, "space_len": 20, "rand_len": 4, "use_filter": False, "drop_out_percent": 0.5}, **settings
    )
    case("pyramid_hash", hashed, sizes, "Out")
    case("pyramid_hash", hashed, dict(sizes, is_training=1, seed=3), "Out")
