"""A table and its state folder together: snapshot and log give back the very bits that training had."""

import torch

from refluid.distributed.server import wire
from refluid.distributed.server.row_init import RowInit
from refluid.distributed.server.state.folder import StateFolder
from refluid.distributed.server.table import Table
from refluid.tensor.selected_rows import SelectedRows

ATTRS = {"beta1": 0.8, "beta2": 0.9}


def fresh():
    shared = {"LearningRate": [0.1], "Beta1Pow": [0.8], "Beta2Pow": [0.9]}
    return Table("emb", (5,), RowInit("normal", 0.0, 1.0, seed=4)), {k: torch.tensor(v) for k, v in shared.items()}


def step(table, shared, grad):
    table.update("adam", grad.index, grad.value, shared, ATTRS)


def pieces(table, shared):
    yield "shared", wire.parts_of(wire.Message("shared", values=shared))
    for column, rows in table.pieces():
        yield column, wire.parts_of(wire.Message("rows", values={"rows": rows}))


def replayed(state):
    table, _ = fresh()
    kept = [(name, wire.decode(data).values) for name, data in state.snapshot()]
    shared = kept[0][1]
    table.restore((name, values["rows"]) for name, values in kept[1:])
    for data in state.log():
        step(table, shared, wire.decode(data).values["g"])
    return table, shared


def test_a_table_goes_on_with_the_bits_it_had(tmp_path):
    draw = torch.Generator().manual_seed(2)
    state = StateFolder(str(tmp_path), "job", "127.0.0.1:6174")
    table, shared = fresh()
    state.write_snapshot(pieces(table, shared))
    for number in range(9):
        ids = torch.randint(-(2**62), 2**62, (20,), generator=draw) % 1009 - 500
        table.look_up(ids + 1)  # rows that are only read are in no log, and begin anew as they were
        grad = SelectedRows.of(ids, torch.randn(20, 5, generator=draw), 400)
        state.append(*wire.parts_of(wire.Message("merged", {"step": number}, {"g": grad})))
        step(table, shared, grad)
        if number == 4:
            state.write_snapshot(pieces(table, shared))
    state.close()
    again = StateFolder(str(tmp_path), "job", "127.0.0.1:6174")
    other, powers = replayed(again)
    again.close()
    assert all(torch.equal(powers[name], shared[name]) for name in shared)
    assert torch.equal(other.look_up(table.ids), table.look_up(table.ids))
    assert len(other) == len(table)
    for column in ("Moment1", "Moment2"):
        ours, theirs = (
            {int(i): row.tolist() for i, row in zip(one.index, one.value)}
            for one in (table.selected_rows(column), other.selected_rows(column))
        )
        assert ours == theirs
