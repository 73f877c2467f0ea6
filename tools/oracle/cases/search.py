"""Beam search, hashes, filters, and paths of connectionist temporal classification."""

import numpy as np

from cases.table import case, floats, lod, longs, rand

levels = [[2, 2], [1, 1, 1, 1]]


def nested(data):
    return lod(data, levels[0], levels[1])


beams = {
    "ids": nested(longs([4, 2, 5], [2, 1, 3], [3, 5, 2], [8, 2, 1])),
    "scores": nested(floats([0.5, 0.3, 0.2], [0.6, 0.3, 0.1], [0.9, 0.5, 0.1], [0.7, 0.5, 0.1])),
}
outs = "selected_ids selected_scores parent_idx"


def search(before, sums, given=beams, **attrs):
    inputs = dict(given, pre_ids=nested(longs(*before)), pre_scores=nested(floats(*sums)))
    case("beam_search", inputs, dict({"beam_size": 2, "end_id": 0, "level": 0}, **attrs), outs)


search([[1], [2], [3], [4]], [[0.1], [0.2], [0.3], [0.4]])
search([[1], [2], [3], [4]], [[0.1], [0.2], [0.3], [0.4]], beam_size=3)
search([[1], [0], [0], [0]], [[0.1], [2.2], [0.3], [0.4]])
search([[1], [0], [0], [5]], [[0.1], [0.25], [0.3], [0.4]], is_accumulated=False)
search([[1], [0], [0], [5]], [[0.1], [0.25], [0.3], [0.4]], {"scores": beams["scores"]})

for width in (1, 2, 3, 4, 5, 9):
    ids = (np.arange(3 * width).reshape(3, width) * 7919 - 3).astype("int64")
    case("hash", {"X": ids}, {"num_hash": 3, "mod_by": 1000003})
    case("hash", {"X": lod(ids.astype("int32"), [1, 2])}, {"num_hash": 2, "mod_by": 97})

tags = lod(longs([1], [2], [3], [1], [5]), [1, 2, 2])
kept = "Out LossWeight IndexMap"
for wanted in (longs(1), longs(7), longs(3, 5)):
    ragged = {"Ins": lod(rand(6, 2), [2, 3, 1]), "Ins_tag": tags, "Filter_tag": wanted}
    case("filter_by_instag", ragged, {"is_lod": True, "out_val_if_empty": 4}, kept, "Ins")
case("filter_by_instag", {"Ins": rand(3, 2), "Ins_tag": tags, "Filter_tag": longs(3)}, {"is_lod": False}, kept)

padded = {"Input": longs([1, 2, 2, 1], [1, 0, 1, 0], [0, 0, 0, 0]), "InputLength": longs([3], [4], [2])}
for merge in (True, False):
    settings = {"blank": 0, "merge_repeated": merge, "padding_value": 7}
    case("ctc_align", padded, settings, "Output OutputLength")
lengths = {"LogitsLength": longs(4, 2, 3), "LabelLength": longs(2, 1, 0)}
labels = np.array([[1, 2], [3, 0], [0, 0]], "int32")
case("warpctc", dict(lengths, Logits=rand(4, 3, 5), Label=labels), {"blank": 4}, "Loss", "Logits")
