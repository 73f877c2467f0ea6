"""Whole programs come out as Fluid 1.8.5 builds them: operators, their order, slots, names, attributes, variables."""

import difflib
import math
from typing import Any

import pytest
from tests.models.oracle import recorded, source

catalog = source("catalog")
source("programs"), source("gallery"), source("contrib_programs")  # they register what they build
describe = source("describe").describe


def op_line(op: dict[str, Any]) -> str:
    """An operator as one line of text; a slot without names says nothing."""
    inputs = ", ".join(f"{slot}={names}" for slot, names in op["inputs"].items() if names)
    outputs = ", ".join(f"{slot}={names}" for slot, names in op["outputs"].items() if names)
    return f"{op['type']}({inputs}) -> {outputs}"


def compare_ops(theirs: list[dict], ours: list[dict]) -> list[str]:
    """The diff of the operators; if there is none, the attributes that differ among those that both sides have."""
    left, right = [op_line(op) for op in theirs], [op_line(op) for op in ours]
    lines = list(difflib.unified_diff(left, right, "Fluid", "here", n=0, lineterm=""))
    if lines:
        return lines
    return [
        f"{left[index]}: {name} is {ours[index]['attrs'][name]} here, {value} in Fluid"
        for index, op in enumerate(theirs)
        for name, value in op["attrs"].items()
        if name in ours[index]["attrs"] and not same(ours[index]["attrs"][name], value)
    ]


def same(ours: Any, theirs: Any) -> bool:
    """Equal; numbers up to the last digit of a float32, which is what Fluid keeps."""
    if isinstance(ours, float) and isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=1e-6)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return ours == theirs


# What Fluid's own inference leaves undone or gets wrong, and the truth is told here.
KNOWN = {
    "isinf_0.tmp_0": "dtype: the answer is bool, Fluid declares that of the question",
    "isnan_0.tmp_0": "dtype: the answer is bool, Fluid declares that of the question",
    "expand_as_0.tmp_0": "shape: Fluid infers [0, 0]",
    "affine_grid_0.tmp_0": "shape: Fluid does not read the constant size",
    "sampling_id_0.tmp_0": "dtype: the samples are int64, Fluid declares what it drew them from",
    "sample_logits_0.tmp_5": "shape: Fluid keeps an empty axis for the gradient, which is not needed here",
    "sample_logits_0.tmp_6": "shape and dtype: as above",
    "reduce_sum_0.tmp_0_shape": "dtype: a shape is int32, Fluid declares none",
    "max_pool2d_with_index_0.tmp_1": "dtype: the indices are int32, Fluid declares the image's",
    "edit_distance_0.tmp_0": "dtype: a distance is float32, Fluid declares that of the words",
    "sequence_pad_0.tmp_0": "shape: the longest sequence is not known, Fluid infers 1",
    "sequence_pool_3.tmp_1": "dtype: the argmax indices are int32, Fluid declares that of the values",
    "ctc_greedy_decoder_0.tmp_0": "lod_level: the labels are sequences, Fluid declares none",
    "sequence_topk_avg_pooling_0.tmp_0": "lod_level: the rows are sequences, Fluid declares none",
    "sequence_topk_avg_pooling_0.tmp_1": "dtype: the argmax indices are int32, Fluid declares the image's",
    **{f"var_conv_2d_0.tmp_{i}": "lod_level: the images are sequences, Fluid declares none" for i in range(3)},
}


def compare_vars(theirs: dict[str, dict], ours: dict[str, dict]) -> list[str]:
    lines = [f"variable {name} is missing" for name in theirs.keys() - ours.keys()]
    lines += [f"variable {name} is not in Fluid" for name in ours.keys() - theirs.keys()]
    for name in theirs.keys() & ours.keys():
        different = {
            key: value
            for key, value in theirs[name].items()
            if ours[name].get(key) != known_sizes(value) and value != []  # Fluid: [] where it did not infer
        }
        if different and name not in KNOWN:
            got = {key: ours[name].get(key) for key in different}
            lines.append(f"variable {name} is {got} here, {different} in Fluid")
    return sorted(lines)


def known_sizes(value: Any) -> Any:
    """Fluid multiplies unknown sizes: [-1, 4] flattened is [-4]; here an unknown size is -1."""
    return [max(size, -1) for size in value] if isinstance(value, list) else value


def compare(expected: list[dict], got: list[dict]) -> list[str]:
    """What differs between two descriptions of a program, as text."""
    lines = [] if len(expected) == len(got) else [f"{len(got)} blocks here, {len(expected)} in Fluid"]
    for index, (theirs, ours) in enumerate(zip(expected, got)):
        found = compare_ops(theirs["ops"], ours["ops"]) + compare_vars(theirs["vars"], ours["vars"])
        if ours["parent"] != theirs["parent"]:
            found.insert(0, f"parent is {ours['parent']} here, {theirs['parent']} in Fluid")
        lines += [f"block {index}: {line}" for line in found]
    return lines


OTHERWISE_BUILT = {
    "gradient_penalty": "gradients of gradients are derived operators here, with slots of their own",
}


@pytest.mark.filterwarnings("ignore:.*set_gradient_clip.*")
@pytest.mark.parametrize("name", [name for name in catalog.PROGRAMS if name not in OTHERWISE_BUILT])
def test_program_equals_fluids(name):
    expected = recorded(f"programs/{name}.json")
    got = {role: describe(program) for role, program in catalog.build(name).items()}
    assert sorted(got) == sorted(expected)
    lines = [f"{role} {line}" for role in expected for line in compare(expected[role], got[role])]
    assert not lines, "\n" + "\n".join(lines)
