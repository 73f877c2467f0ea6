"""The operators that programs read with. The executor does their work: it asks loaders for what `read` writes.

A loader is found by the name of its reader variable: in `Program.readers` where it was made, among those that live
where a program was read from a file.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from refluid.core import dtypes
from refluid.core.callsite import user_site
from refluid.core.dtypes import VarType
from refluid.ir.block import Block
from refluid.ir.operator import Operator
from refluid.ir.program import Program
from refluid.ops.registry import Tensor, get, op
from refluid.tensor.lod_tensor import LoDTensor

if TYPE_CHECKING:
    from refluid.core.places import Place


@op("Out", nograd="*", by_executor="read")
def create_py_reader(
    blocking_queue: Tensor,
    *,
    shape_concat: list[int],
    ranks: list[int],
    lod_levels: list[int],
    dtypes: list[int],
    need_check_feed: list[int],
    use_data_config: bool = True,
    device_index: int = 0,
    device_count: int = 1,
) -> Tensor:
    """Out reads the batches that wait in a queue."""
    raise NotImplementedError("create_py_reader is the executor's work")


@op("Out", nograd="*", by_executor="read")
def create_double_buffer_reader(UnderlyingReader: Tensor, *, place: str = "AUTO") -> Tensor:
    """Out reads ahead from another reader."""
    raise NotImplementedError("create_double_buffer_reader is the executor's work")


@op("Out", duplicable="Out", nograd="*", by_executor="read")
def read(Reader: Tensor, *, throw_eof_exp: bool = True, infer_out: bool = True, drop_last: bool = True) -> list[Tensor]:
    """Out are the fields of the next batch of a reader."""
    raise NotImplementedError("read is the executor's work")


class Loader(Protocol):
    def next_batch(self) -> list[LoDTensor]: ...


class Ask:
    """In `Program.readers`: the executor asks it for the values of `names` whenever the program runs without them."""

    def __init__(self, loader: Loader, names: list[str]) -> None:
        self.loader = loader
        self.names = names

    def next_feed(self) -> dict[str, LoDTensor]:
        return dict(zip(self.names, self.loader.next_batch(), strict=True))


_living: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()


def write_reader(block: Block, name: str, queue: str, fields: Sequence[Any], loader: Loader) -> None:
    """Write the making of a reader. `fields` are variables, or have their names, shapes, dtypes and LoD levels."""
    _living[name] = loader
    declare_reader(block, name)
    shapes = [list(field.shape) for field in fields]
    attrs = {
        "shape_concat": [size for shape in shapes for size in shape],
        "ranks": [len(shape) for shape in shapes],
        "lod_levels": [field.lod_level for field in fields],
        "dtypes": [int(dtypes.var_type(field.dtype)) for field in fields],
        "need_check_feed": [int(getattr(field, "need_check_feed", False)) for field in fields],
    }
    _record(block, "create_py_reader", {"blocking_queue": [queue]}, {"Out": [name]}, attrs)


def write_double_buffer(block: Block, reader: str, name: str, place: Place | None = None) -> None:
    declare_reader(block, name)
    attrs = {} if place is None else {"place": str(place)}
    _record(block, "create_double_buffer_reader", {"UnderlyingReader": [reader]}, {"Out": [name]}, attrs)


def write_read(block: Block, reader: str, names: list[str], loader: Loader) -> None:
    """Write the reading of variables; their program asks the loader from now on."""
    _record(block, "read", {"Reader": [reader]}, {"Out": names}, {})
    block.program.readers.append(Ask(loader, names))


def declare_reader(block: Block, name: str) -> None:
    block.create_var(name=name, type=VarType.READER, persistable=True, stop_gradient=True)


def _record(block: Block, kind: str, inputs: dict, outputs: dict, attrs: dict[str, Any]) -> None:
    block.record(Operator(block, kind, inputs, outputs, get(kind).complete_attrs(attrs), user_site()))


def find_readers(program: Program) -> list[Ask]:
    """What a program that comes from a file asks: the loaders of its readers that live in this process."""
    ops = program.global_block().ops
    below = {
        operator.output("Out")[0]: operator.input("UnderlyingReader")[0]
        for operator in ops
        if "UnderlyingReader" in operator.inputs
    }
    readers = []
    for operator in ops:
        if operator.type == "read":
            name = operator.input("Reader")[0]
            while name in below:
                name = below[name]
            loader = _living.get(name)
            if loader is not None:
                readers.append(Ask(loader, operator.output("Out")))
    return readers
