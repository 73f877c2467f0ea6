"""Programs of trainers and servers written by hand, as a transpiler would write them."""

from __future__ import annotations

from typing import Any

import paddle.fluid as fluid


def server_program(
    endpoint: str,
    trainers: int,
    sizes: dict[str, list[int]],
    rate: float,
    begin: float = 0.0,
    mean: bool = True,
    mode: int = 0,
) -> tuple[Any, Any]:
    """(startup, main) of a server that has these parameters, all elements the same, and takes steps of SGD.

    In other modes than 0, the synchronous one, gradients are applied as they come.
    """
    startup, main = fluid.Program(), fluid.Program()
    for name, shape in {**sizes, "rate": [1]}.items():
        for program in (startup, main):
            program.global_block().create_var(name=name, shape=shape, dtype="float32", persistable=True)
        startup.global_block().append_op(
            "fill_constant",
            {},
            {"Out": [name]},
            {"shape": shape, "dtype": 5, "value": rate if name == "rate" else begin},
        )
    root, blocks, sent, grad_to_block = main.global_block(), [], [], []
    for name, shape in sizes.items():
        merged = f"{name}@GRAD"
        parts = [merged] if mode else [f"{merged}.trainer_{i}" for i in range(trainers)]
        for one in dict.fromkeys((merged, *parts)):
            root.create_var(name=one, shape=shape, dtype="float32")
        block = main._create_block(0)
        if not mode:
            block.append_op("sum", {"X": parts}, {"Out": [merged]}, {})
        if mean and not mode:
            block.append_op("scale", {"X": [merged]}, {"Out": [merged]}, {"scale": 1.0 / trainers})
        block.append_op("sgd", {"Param": [name], "Grad": [merged], "LearningRate": ["rate"]}, {"ParamOut": [name]}, {})
        main._rollback()
        blocks.append(block)
        sent += parts
        grad_to_block.append(f"{merged}:{block.idx}")
    root.append_op(
        "listen_and_serv",
        {"X": sent},
        {},
        {
            "endpoint": endpoint, "Fanin": trainers, "optimize_blocks": blocks, "grad_to_block_id": grad_to_block,
            "distributed_mode": mode,
        },
    )  # fmt: skip
    return startup, main


def append_exchange(block: Any, trainer: int, placed: dict[str, str]) -> None:
    """send, send_barrier, recv and fetch_barrier of the parameters, at the end of a trainer's program."""
    endpoints, controls = sorted(set(placed.values())), []
    common = {"trainer_id": trainer}
    for name, endpoint in placed.items():
        sent, control = f"{name}@GRAD.trainer_{trainer}", f"sent_{name}"
        block.create_var(name=sent, shape=block.var(name).shape, dtype="float32")
        block.append_op("assign", {"X": [f"{name}@GRAD"]}, {"Out": [sent]}, {})
        block.append_op(
            "send", {"X": [sent]}, {"Out": [block.create_var(name=control)]}, {**common, "epmap": [endpoint]}
        )
        controls.append(control)
    barrier = block.create_var(name="barrier")
    block.append_op("send_barrier", {"X": controls}, {"Out": [barrier]}, {**common, "endpoints": endpoints})
    append_recv(block, trainer, placed, [barrier])


def append_recv(block: Any, trainer: int, placed: dict[str, str], after: list[Any]) -> None:
    common = {"trainer_id": trainer}
    for name, endpoint in placed.items():
        block.append_op("recv", {"X": after}, {"Out": [name]}, {**common, "epmap": [endpoint]})
    block.append_op(
        "fetch_barrier", {"X": after}, {"Out": list(placed)}, {**common, "endpoints": sorted(set(placed.values()))}
    )
