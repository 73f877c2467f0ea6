"""What the iterations of a loop keep for its gradient: a list of tuples, which the gradient goes through backwards."""

from __future__ import annotations

from refluid.executor.blocks.carried import body_of
from refluid.executor.graph.node import Node
from refluid.executor.source import Source


def push_iteration(source: Source, node: Node, iterations: str, indent: int) -> None:
    """Write the end of an iteration: what is saved of it, then the LoDs of that."""
    body = body_of(node)
    body.saved_lods = [value for value in body.saved if value in source.lods]
    parts = [
        source.shape_of(value) if kind == "shape" else source.local(value) for value, kind in body.saved.items()
    ]  # fmt: skip
    parts += [source.lods[value] for value in body.saved_lods]
    source.line(f"{iterations}.append(({''.join(part + ', ' for part in parts).rstrip()}))", node, indent)


def emit_iterations(source: Source, node: Node, iterations: str, indent: int) -> None:
    """Write the head of the gradient's loop, which binds what an iteration has saved."""
    body = body_of(node)
    assert body.forward is not None
    forward = body_of(body.forward)
    targets = []
    for value, kind in forward.saved.items():
        param = body.saved_params.get(value)
        if param is None:
            targets.append("_")
        elif kind == "shape":
            source.shapes[param] = source.unique(f"{param.name}_shape")
            targets.append(source.shapes[param])
        else:
            targets.append(source.put(param, source.unique(param.name)))
    for value in forward.saved_lods:
        local = source.unique(f"{value.name}_lod")
        source.lods[value] = local
        if value in body.saved_params:
            source.lods[body.saved_params[value]] = local
        targets.append(local)
    unpacked = f"({', '.join(targets)},)" if targets else "_"
    if forward.gradients == 1 and not source.runs_again:  # nobody else reads the iterations: free each when it is done
        source.line(f"while {iterations}:", node, indent)
        source.line(f"{unpacked} = {iterations}.pop()", node, indent + 1)
    else:
        source.line(f"for {unpacked} in reversed({iterations}):", node, indent)
