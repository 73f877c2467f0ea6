"""The attributes of a listen_and_serv operator."""

from __future__ import annotations

from dataclasses import dataclass, field

from refluid.ir.operator import Operator
from refluid.ir.program import Program


@dataclass
class Service:
    """A server as its program describes it."""

    program: Program
    endpoint: str
    trainers: int
    mode: int  # a DistributedMode
    block_numbers: list[int]  # optimize_blocks
    schedule: int = -1  # the block that computes learning rates
    block_of: dict[str, int] = field(default_factory=dict)  # gradient -> its block
    param_of: dict[str, str] = field(default_factory=dict)  # sparse gradient -> parameter
    looked_up: dict[str, int] = field(default_factory=dict)  # ids of a distributed table -> the block that looks up
    delays: bool = False  # DC-ASGD: trainers' late gradients are corrected

    @classmethod
    def of(cls, operator: Operator) -> Service:
        attrs = operator.attrs
        return cls(
            program=operator.block.program,
            endpoint=attrs["endpoint"],
            trainers=attrs["Fanin"],
            mode=attrs.get("distributed_mode", 0),
            block_numbers=[block.idx for block in attrs["optimize_blocks"]],
            schedule=attrs.get("lr_decay_block_id", -1),
            block_of=_blocks(operator),
            param_of=dict(_pairs(attrs.get("sparse_grad_to_param", []))),
            looked_up={name: int(number) for name, number in _pairs(attrs.get("prefetch_var_name_to_block_id", []))},
            delays=attrs.get("dc_asgd", False),
        )


def _blocks(operator: Operator) -> dict[str, int]:
    """By what a trainer sends; `layers.io.ListenAndServ` has one block, which takes all inputs."""
    found = {name: int(number) for name, number in _pairs(operator.attrs.get("grad_to_block_id", [])) if name}
    if found or operator.attrs.get("grad_to_block_id") != [""]:
        return found
    return dict.fromkeys(operator.input("X"), operator.attrs["optimize_blocks"][0].idx)


def _pairs(texts: list[str]) -> list[tuple[str, str]]:
    """Fluid's "name:other"; a name may have colons of its own."""
    found = []
    for text in texts:
        name, _, other = text.rpartition(":")
        found.append((name, other))
    return found
