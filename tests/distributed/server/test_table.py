"""A distributed table behaves as a dense parameter of which only the touched rows exist."""

import random
import warnings

import numpy as np
import pytest
import torch

from refluid.core.errors import ArgumentError, EnforceNotMet, ShapeError
from refluid.core.warn import reset
from refluid.distributed.server.id_index import IdIndex
from refluid.distributed.server.row_init import RowInit
from refluid.distributed.server.row_updates import row_states, updates_rows
from refluid.distributed.server.slabs import Slabs
from refluid.distributed.server.table import Table
from refluid.distributed.server.table_file import load_table, save_table
from refluid.ops import registry
from refluid.tensor.selected_rows import SelectedRows

UNIFORM = RowInit("uniform", -0.5, 0.5, seed=7)
FAR = [-(2**63), -1, 0, 1, 2**40, 2**63 - 1]


def ints(*values):
    return torch.tensor(values, dtype=torch.int64)


# -- ids ----------------------------------------------------------------------------------------------------------


def test_ids_are_numbered_in_the_order_in_which_they_come():
    index = IdIndex()
    assert index.add(ints(9, -4, 9, 2**62)).tolist() == [0, 1, 0, 2]
    assert index.add(ints(-4, 7)).tolist() == [1, 3]
    assert index.ids.tolist() == [9, -4, 2**62, 7]


def test_the_smallest_and_largest_ids_are_ids():
    index = IdIndex()
    assert index.add(torch.tensor(FAR)).tolist() == list(range(len(FAR)))
    assert index.find(ints(5, *FAR)).tolist() == [-1, *range(len(FAR))]


def test_an_index_answers_as_a_dict_does_on_random_batches():
    draw = random.Random(3)
    index, known = IdIndex(), {}
    spaces = [lambda: draw.randrange(50), lambda: draw.randrange(-(2**63), 2**63), lambda: draw.randrange(4000) << 40]
    for _ in range(120):
        batch = [draw.choice(spaces)() for _ in range(draw.randrange(200))]
        asked = torch.tensor(batch, dtype=torch.int64)
        assert index.find(asked).tolist() == [known.get(one, -1) for one in batch]
        expected = [known.setdefault(one, len(known)) for one in batch]
        assert index.add(asked).tolist() == expected
        assert index.ids.tolist() == list(known)


def test_ids_that_differ_in_high_bits_alone_are_found_soon():
    """A multiple of a power of two is what ids made of (slot, number) look like; a weak hash puts them in one slot."""
    index = IdIndex()
    ids = torch.arange(100_000) << 44
    assert torch.equal(index.add(ids), torch.arange(100_000))


# -- slabs --------------------------------------------------------------------------------------------------------


def test_slabs_gather_what_was_scattered_across_their_borders():
    slabs, rows = Slabs((2,), torch.float32, first_slab=4), torch.randperm(37)
    slabs.grow(37)
    values = torch.randn(37, 2)
    slabs.scatter(rows, values)
    assert torch.equal(slabs.gather(rows), values)
    assert torch.equal(torch.cat(list(slabs.pieces()))[rows], values)
    slabs.fill(3, 9, 5.0)
    kept = (rows < 3) | (rows >= 9)
    assert torch.equal(slabs.gather(rows)[kept], values[kept])
    assert bool((slabs.gather(torch.arange(3, 9)) == 5).all())


# -- how rows begin -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["constant", "uniform", "normal", "truncated_normal"])
def test_a_row_begins_the_same_whoever_asks_first(kind):
    init = RowInit(kind, 0.25, 0.5, seed=3)
    ids = torch.tensor(FAR + list(range(2, 500)))
    alone = torch.cat([init.rows(one[None], (7,), torch.float32) for one in ids[:40]])
    assert torch.equal(init.rows(ids, (7,), torch.float32)[:40], alone)
    order = torch.randperm(ids.numel())
    assert torch.equal(init.rows(ids[order], (7,), torch.float32), init.rows(ids, (7,), torch.float32)[order])


def test_rows_of_other_ids_and_seeds_are_others():
    ids = torch.arange(1000)
    one, two = (RowInit("uniform", 0, 1, seed).rows(ids, (4,), torch.float64) for seed in (1, 2))
    assert torch.unique(torch.cat([one, two])).numel() == 8000


def test_new_rows_have_the_distribution_that_was_asked_for():
    ids = torch.arange(-20_000, 20_000)
    uniform = RowInit("uniform", -2.0, 4.0, seed=1).rows(ids, (8,), torch.float64)
    assert -2 < uniform.min() < -1.99 and 3.99 < uniform.max() < 4
    assert abs(uniform.mean() - 1) < 0.02 and abs(uniform.std() - 6 / 12**0.5) < 0.02
    normal = RowInit("normal", 1.0, 3.0, seed=1).rows(ids, (8,), torch.float64)
    assert abs(normal.mean() - 1) < 0.02 and abs(normal.std() - 3) < 0.02 and normal.max() > 12
    cut = RowInit("truncated_normal", 1.0, 3.0, seed=1).rows(ids, (8,), torch.float64)
    assert abs(cut.mean() - 1) < 0.02 and abs(cut.std() - 3 * 0.8796) < 0.02 and -5 <= cut.min() < cut.max() <= 7
    columns = np.corrcoef(normal.numpy().T)
    assert np.abs(columns - np.eye(8)).max() < 0.03


def test_the_operators_of_a_startup_program_say_how_rows_begin():
    assert RowInit.of_op("fill_constant", {"value": 2.0}) == RowInit("constant", 2.0)
    assert RowInit.of_op("uniform_random", {"min": -1.0, "max": 3.0, "seed": 5}) == RowInit("uniform", -1.0, 3.0, 5)
    assert RowInit.of_op("gaussian_random", {"mean": 1.0, "std": 2.0}, seed=9) == RowInit("normal", 1.0, 2.0, 9)
    with pytest.raises(ArgumentError, match="got the operator assign_value"):
        RowInit.of_op("assign_value", {})


# -- look-ups -----------------------------------------------------------------------------------------------------


def test_training_makes_rows_and_inference_does_not():
    table = Table("emb", (3,), UNIFORM)
    assert torch.equal(table.peek(ints(5, 6)), torch.zeros(2, 3)) and len(table) == 0
    made = table.look_up(ints(5, -8, 5))
    assert len(table) == 2 and torch.equal(made[0], made[2]) and not torch.equal(made[0], made[1])
    assert torch.equal(table.peek(ints(9, -8)), torch.stack([torch.zeros(3), made[1]])) and len(table) == 2


def test_ids_of_any_shape_give_their_rows_in_it():
    table = Table("emb", (3,), UNIFORM)
    assert table.look_up(torch.arange(12).view(2, 3, 2)).shape == (2, 3, 2, 3)
    assert table.peek(torch.zeros(0, 1, dtype=torch.int64)).shape == (0, 1, 3)


def test_the_padding_row_is_zeros_and_is_never_trained():
    table = Table("emb", (2,), UNIFORM, padding_idx=4)
    assert torch.equal(table.look_up(ints(4, 1))[0], torch.zeros(2))
    table.update("sgd", ints(4, 1), torch.ones(2, 2), {"LearningRate": torch.ones(1)})
    assert table.ids.tolist() == [1] and torch.equal(table.peek(ints(4))[0], torch.zeros(2))


def test_growing_beyond_the_declared_size_is_told_once():
    reset()
    table = Table("emb", (2,), UNIFORM, dict_size=10)
    table.look_up(torch.arange(10))
    with pytest.warns(UserWarning, match="emb is declared with 10 rows and grows for ids outside of them"):
        table.look_up(ints(10))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table.look_up(ints(-1, 77))


def test_ids_that_are_no_integers_are_refused():
    with pytest.raises(ArgumentError, match="emb: ids must be int64, got torch.float32"):
        Table("emb", (2,), UNIFORM).look_up(torch.zeros(2))


# -- updates ------------------------------------------------------------------------------------------------------

REQUIRED = {"momentum": {"mu": 0.9}}
SHARED = {"adam": ("Beta1Pow", "Beta2Pow"), "adamax": ("Beta1Pow",)}


def shared_inputs(op_type):
    rates = {} if op_type == "adadelta" else {"LearningRate": torch.tensor([0.1])}
    return rates | {slot: torch.tensor([0.9 if slot == "Beta1Pow" else 0.999]) for slot in SHARED.get(op_type, ())}


@pytest.mark.parametrize("op_type", sorted(filter(updates_rows, registry.all_types())))
def test_rows_train_as_those_of_a_dense_parameter_do(op_type):
    """The reference runs the kernel on a dense parameter of all ids, of which each step keeps the touched rows."""
    draw, attrs = torch.Generator().manual_seed(1), REQUIRED.get(op_type, {})
    ids = torch.tensor([*FAR, *range(100, 120)])
    table, fills = Table("emb", (3,), UNIFORM, fills={"Moment": 0.5}), {"Moment": 0.5}
    dense = {"Param": UNIFORM.rows(ids, (3,), torch.float32)}
    dense |= {state: torch.full((len(ids), 3), fills.get(state, 0.0)) for state in row_states(op_type)}
    ours, theirs = shared_inputs(op_type), shared_inputs(op_type)
    for _ in range(6):
        places = torch.randint(len(ids), (12,), generator=draw)  # with repeats
        grads = torch.randn(12, 3, generator=draw)
        table.update(op_type, ids[places], grads, ours, attrs)
        before, touched = {name: value.clone() for name, value in dense.items()}, torch.unique(places)
        summed = torch.zeros(len(ids), 3).index_add_(0, places, grads)
        given = SelectedRows.of(torch.arange(len(ids)), summed, len(ids)) if op_type == "adam" else summed
        registry.get(op_type).kernel(**dense, **theirs, Grad=given, **attrs)
        for name in dense:
            before[name][touched] = dense[name][touched]
        dense = before
        known = table.ids
        for name, value in dense.items():
            expected = value[(known[:, None] == ids).long().argmax(1)]
            torch.testing.assert_close(table.selected_rows(name).value, expected, rtol=1e-5, atol=1e-6)
    assert all(torch.equal(ours[slot], theirs[slot]) for slot in theirs)
    assert 0 < len(table) <= len(ids)


def test_a_step_without_rows_moves_the_shared_powers_on_and_adds_nothing():
    table, shared = Table("emb", (3,), UNIFORM), shared_inputs("adam")
    table.update("adam", ints(), torch.zeros(0, 3), shared)
    assert len(table) == 0 and shared["Beta1Pow"].item() == pytest.approx(0.81)


def test_an_optimizer_that_reads_the_whole_parameter_is_refused():
    with pytest.raises(ArgumentError, match="lars_momentum cannot update single rows of a distributed table"):
        Table("emb", (3,), UNIFORM).update("lars_momentum", ints(1), torch.zeros(1, 3), {}, {"mu": 0.9})


def test_gradients_of_another_width_are_refused_and_leave_no_row():
    table = Table("emb", (3,), UNIFORM)
    with pytest.raises(ShapeError, match=r"emb: gradients must have the shape \[1, 3\], got \[1, 4\]"):
        table.update("sgd", ints(1), torch.zeros(1, 4), shared_inputs("sgd"))
    assert len(table) == 0


def test_a_million_rows_are_made_and_trained():
    table, ids = Table("emb", (16,), UNIFORM), torch.arange(1_000_000) * 7919 - 2**40
    table.look_up(ids)
    some = ids[torch.randint(1_000_000, (10_000,))]
    before = table.look_up(some)
    table.update("adagrad", some, torch.zeros(10_000, 16), shared_inputs("adagrad"))
    assert len(table) == 1_000_000 and torch.equal(table.peek(some), before)


# -- keeping ------------------------------------------------------------------------------------------------------


def trained_table():
    table = Table("emb", (3,), UNIFORM)
    table.update("adagrad", torch.tensor(FAR), torch.randn(len(FAR), 3), shared_inputs("adagrad"))
    return table


def test_a_table_comes_back_from_its_pieces():
    table, other = trained_table(), Table("emb", (3,), UNIFORM)
    other.restore(table.pieces())
    for column in ("Param", "Moment"):
        assert torch.equal(table.selected_rows(column).value, other.selected_rows(column).value)
    assert table.ids.tolist() == other.ids.tolist()


def test_pieces_that_do_not_fit_are_refused():
    pieces = [(name, value[:-1] if name == "Moment" else value) for name, value in trained_table().pieces()]
    with pytest.raises(ShapeError, match="emb: 5 rows of Moment for 6 ids"):
        Table("emb", (3,), UNIFORM).restore(iter(pieces))


def test_a_table_with_any_ids_survives_a_file(tmp_path):
    table, other, path = trained_table(), Table("emb", (3,), RowInit()), str(tmp_path / "folder" / "emb")
    save_table(table, path)
    save_table(table, path + "_moment", "Moment")
    load_table(other, path)
    load_table(other, path + "_moment", "Moment")
    assert torch.equal(other.peek(torch.tensor(FAR)), table.peek(torch.tensor(FAR)))
    assert torch.equal(other.selected_rows("Moment").value, table.selected_rows("Moment").value)
    assert sorted(one.name for one in (tmp_path / "folder").iterdir()) == ["emb", "emb_moment"]


def test_a_cut_file_of_a_table_is_told(tmp_path):
    path = tmp_path / "emb"
    save_table(trained_table(), str(path))
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(EnforceNotMet, match="the file ends in the middle of the data"):
        load_table(Table("emb", (3,), UNIFORM), str(path))


def test_a_file_with_rows_of_another_width_is_refused(tmp_path):
    save_table(trained_table(), str(tmp_path / "emb"))
    with pytest.raises(ShapeError, match=r"rows of torch.float32 \[3\], but emb has rows of torch.float32 \[4\]"):
        load_table(Table("emb", (4,), UNIFORM), str(tmp_path / "emb"))


def test_a_file_is_byte_by_byte_what_fluid_writes(tmp_path):
    """Recorded from 1.8.5's `save` of SelectedRows with rows 7, 2, 12, 2^40, height 10 and the values 0 to 11."""
    recorded = bytes.fromhex(
        "000000000400000000000000070000000000000002000000000000000c0000000000000000000000000100000a000000"
        "000000000000000006000000080510041003000000000000803f0000004000004040000080400000a0400000c0400000"
        "e04000000041000010410000204100003041"
    )
    (tmp_path / "theirs").write_bytes(recorded)
    table = Table("t", (3,), RowInit(), dict_size=10)
    load_table(table, str(tmp_path / "theirs"))  # without a word on rows beyond 10: they had grown before
    assert table.ids.tolist() == [7, 2, 12, 2**40]
    assert torch.equal(table.peek(table.ids), torch.arange(12.0).view(4, 3))
    save_table(table, str(tmp_path / "ours"))
    assert (tmp_path / "ours").read_bytes() == recorded
