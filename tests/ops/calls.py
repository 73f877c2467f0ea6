"""A row made ready to run: its operator, tensors, LoDs and completed attributes; and the calling of kernels."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import torch

import refluid.ops  # registers every operator
from refluid.core.errors import ArgumentError
from refluid.ops import registry
from refluid.ops.infer import Spec
from refluid.ops.registry import OpDef
from refluid.ops.signature import GRAD_SUFFIX
from refluid.tensor.lod import LoD
from refluid.tensor.selected_rows import SelectedRows, to_dense
from tests.ops.cases import Ragged, Refusal, Row, Sparse

CPU = torch.device("cpu")


class Call:
    def __init__(self, row: Row | Refusal, floats: torch.dtype | None = None, complete: bool = True):
        """`floats` replaces the dtype of floating inputs. Without `complete` what is missing is for others to tell."""
        self.row = row
        self.op: OpDef = registry.get(row.op)
        self.floats = floats
        given = dict(row.given)
        found = [given.pop(slot.name, None) for slot in self.op.inputs]
        self.given = [_as_list(v) if s.duplicable else v for s, v in zip(self.op.inputs, found)]
        self.values: list[Any] = [each(self._tensor, value) for value in self.given]
        self.lods: list[Any] = [each(_lod, value) for value in self.given]
        if not complete:
            return
        self.attrs = self.op.complete_attrs(given)
        for slot, value in zip(self.op.inputs, self.values):
            if value is None and not slot.dispensable:
                raise ArgumentError(f"{row.op}: input {slot.name} is missing")

    def _tensor(self, value: Any) -> Any:
        if isinstance(value, Sparse):
            return SelectedRows.of(torch.tensor(value.index), self._tensor(value.data), value.height)
        data = torch.from_numpy(np.array(value.data if isinstance(value, Ragged) else value))
        return data.to(self.floats) if self.floats and data.is_floating_point() else data

    def specs(self, unknown: list[str] | None = None) -> list[Any]:
        """What inference is told of the inputs; slots in `unknown` have -1 for the first axis."""

        def spec(value: Any, hide: bool) -> Spec:
            data = value.value if isinstance(value, SelectedRows) else value
            shape = tuple(data.shape)
            if isinstance(value, SelectedRows):
                shape = (value.n_rows, *shape[1:])
            return Spec((-1, *shape[1:]) if hide else shape, data.dtype)

        hidden = [slot.name in (unknown or ()) for slot in self.op.inputs]
        return [each(lambda v, h=h: spec(v, h), value) for value, h in zip(self.values, hidden)]

    def forward(self, values: list[Any] | None = None) -> list[Any]:
        """The outputs in slot order. Inputs that the operator updates are copied first."""
        values = list(self.values if values is None else values)
        for source in self.op.inplace.values():
            values[source] = each(_copied, values[source])
        return call(self.op, values, self.lods, self.attrs)

    def out_lods(self) -> list[Any]:
        """The LoD of every output; see Note [Who owns the LoD]."""
        op = self.op
        if op.tells_lod:
            return each(lambda out: getattr(out, "lod", None), self.forward())
        if op.rules.lods is not None:
            return list(op.rules.lods(self.lods, self.values, self.attrs))
        if op.lod is None:
            return [None] * len(op.outputs)
        slots = [op.input_index[name] for name in op.lod.split()] or range(len(op.inputs))
        found = [lod for i in slots for lod in _as_list(self.lods[i]) if lod is not None]
        return [found[0] if found else None] * len(op.outputs)

    def grad_slots(self) -> list[int]:
        """The input slots whose gradients are tested."""
        chosen = self.row.grad_inputs.split() if getattr(self.row, "grad_inputs", None) is not None else None
        return [
            i
            for i in self.op.differentiable
            if (chosen is None or self.op.inputs[i].name in chosen) and any(map(_is_floating, _as_list(self.values[i])))
        ]

    def grad_names(self) -> list[str]:
        return [self.op.inputs[i].name for i in self.grad_slots()]

    def out_grads(self, outs: list[Any]) -> list[Any]:
        """Random gradients of the outputs that have one."""
        generator = torch.Generator().manual_seed(7)

        def draw(out: Any) -> Any:
            if not _is_floating(out):
                return None
            return torch.empty(out.shape, dtype=out.dtype).uniform_(-1, 1, generator=generator)

        return [None if i in self.op.nograd_outputs else each(draw, out) for i, out in enumerate(outs)]

    def backward(self, gradient: OpDef, outs: list[Any], out_grads: list[Any], needs: list[bool]) -> dict[str, Any]:
        """What a gradient operator gives, by input slot; `needs` is in the order of the gradient's outputs."""
        values, lods = self.reads(gradient, outs, out_grads)
        found = call(gradient, values, lods, self.attrs, tuple(needs))
        return {slot.name.removesuffix(GRAD_SUFFIX): grad for slot, grad in zip(gradient.outputs, found, strict=True)}

    def reads(
        self, gradient: OpDef, outs: list[Any], out_grads: list[Any], values: list[Any] | None = None
    ) -> tuple[list[Any], list[Any]]:
        """The values and LoDs in the input slots of a gradient operator; `values` replace the inputs of the row."""
        pool = dict(zip((s.name for s in self.op.inputs), zip(values or self.values, self.lods)))
        pool.update(zip((s.name for s in self.op.outputs), zip(outs, self.out_lods())))
        pool.update((s.name + GRAD_SUFFIX, (grad, None)) for s, grad in zip(self.op.outputs, out_grads))
        return [pool[slot.name][0] for slot in gradient.inputs], [pool[slot.name][1] for slot in gradient.inputs]

    def named(self) -> dict[str, Any]:
        """Inputs, LoDs (lengths) and attributes as numpy, by Python name: what `expect` and `check` may ask for."""
        names: dict[str, Any] = {attr.param: self.attrs[name] for name, attr in self.op.attrs.items()}
        for slot, value in zip(self.op.inputs, self.given):
            names[slot.param] = each(lambda v: v.data if isinstance(v, Ragged) else v, value)
            names[slot.param + "_lod"] = each(lambda v: v.lengths if isinstance(v, Ragged) else None, value)
        return names

    def expected(self) -> dict[str, Any]:
        """{output slot: expected value}, of those that the row compares."""
        if self.row.recorded:
            outputs = self.row.recorded["outputs"]
            return {s: each(lambda v: v.data if isinstance(v, Ragged) else v, value) for s, value in outputs.items()}
        if self.row.expect is None:
            return {}
        found = ask(self.row.expect, self.named())
        if isinstance(found, dict):
            return found
        if isinstance(found, tuple):
            return {slot.name: v for slot, v in zip(self.op.outputs, found) if v is not None}
        return {self.op.outputs[0].name: found}


def call(op: OpDef, values: list[Any], lods: list[Any], attrs: dict[str, Any], needs: tuple = ()) -> list[Any]:
    """Run a kernel as the engine does, outputs always as a list."""
    shapes = [each(lambda v: getattr(v, "shape", None), value) for value in values]
    args = [{"value": values, "shape": shapes, "lod": lods}[p.kind][p.slot] for p in op.params]
    kwargs = op.kernel_attrs(attrs)
    engine = {"rng": torch.Generator().manual_seed(11), "device": CPU, "needs": needs or (True,) * len(op.outputs)}
    outs = op.kernel(*args, **kwargs, **{name: engine[name] for name in op.engine})
    return [outs] if op.single else list(outs or ())


def ask(function: Any, names: dict[str, Any]) -> Any:
    """Call a row's function with those of `names` that it asks for."""
    parameters = inspect.signature(function).parameters.values()
    return function(**{p.name: names[p.name] for p in parameters if p.name in names})


def each(function: Any, value: Any) -> Any:
    """The function of a value, or of each in a list; None stays None."""
    if isinstance(value, list | tuple) and not isinstance(value, Ragged | Sparse | torch.Size):
        return [each(function, one) for one in value]
    return None if value is None else function(value)


def numpy_of(value: Any) -> Any:
    if isinstance(value, SelectedRows):
        value = to_dense(value)
    return value.numpy(force=True) if isinstance(value, torch.Tensor) else value


def close(found: Any, wanted: Any, tol: float, what: str) -> None:
    """Assert that shape and numbers agree; lists element by element."""
    if isinstance(wanted, list | tuple) and isinstance(found, list | tuple):
        assert len(found) == len(wanted), f"{what}: {len(found)} values, expected {len(wanted)}"
        for i, (one, other) in enumerate(zip(found, wanted)):
            close(one, other, tol, f"{what}[{i}]")
        return
    if wanted is None:
        return
    assert found is not None, f"{what} is missing"
    found = numpy_of(found)
    wanted = np.atleast_1d(wanted.dense if isinstance(wanted, Sparse) else numpy_of(wanted))  # Fluid has no 0-d tensors
    assert found.shape == wanted.shape, f"{what} has the shape {found.shape}, expected {wanted.shape}"
    if wanted.dtype.kind in "fb":
        assert found.dtype.kind == wanted.dtype.kind, f"{what} is {found.dtype}, expected {wanted.dtype}"
    np.testing.assert_allclose(found, wanted, rtol=tol, atol=tol, err_msg=what)


def _as_list(value: Any) -> Any:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) and not isinstance(value, Ragged | Sparse) else [value]


def _lod(value: Any) -> LoD | None:
    return LoD.from_lengths(value.lengths) if isinstance(value, Ragged) else None


def _is_floating(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _copied(value: Any) -> Any:
    if isinstance(value, SelectedRows):
        return SelectedRows.of(value.index.clone(), value.value.clone(), value.n_rows)
    return value.clone()


assert refluid.ops
