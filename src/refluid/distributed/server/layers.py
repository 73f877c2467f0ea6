"""layers.io.Send, Recv and ListenAndServ: programs of clients and servers written by hand."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from refluid.core.errors import ArgumentError
from refluid.distributed.server import emit as emit  # registers the operators
from refluid.distributed.transpile.config import DistributedMode
from refluid.ir.block import Block
from refluid.ir.roles import ROLE, OpRole
from refluid.ir.variable import Variable
from refluid.layers.control_flow.conditional_block import BlockGuard
from refluid.layers.helper import LayerHelper


def Send(endpoints: str, send_vars: list[Any], dummy_output: object = None, sync: bool = True) -> None:
    """Send variables to servers, each to its endpoint of `endpoints`; with `sync` wait until servers have run."""
    _check_list("Send", "send_vars", send_vars)
    epmap, done = endpoints.split(","), _variables("Send", "dummy_output", dummy_output)
    servers = list(dict.fromkeys(epmap))
    block = LayerHelper("Send").main_program.current_block()
    block.append_op("send", {"X": send_vars}, {"Out": done}, {"epmap": epmap, ROLE: int(OpRole.RPC)})
    if sync:
        block.append_op("send_barrier", {"X": done}, {"Out": []}, {"endpoints": servers})


def Recv(endpoints: str, get_vars: list[Any], dummy_input: object = None, sync: bool = True) -> list[Any]:
    """Receive variables from servers, each from its endpoint of `endpoints`; returns them."""
    _check_list("Recv", "get_vars", get_vars)
    epmap = endpoints.split(",")
    block = LayerHelper("Recv").main_program.current_block()
    after = {"X": _variables("Recv", "dummy_input", dummy_input)}
    block.append_op("recv", after, {"Out": get_vars}, {"epmap": epmap})
    if sync:
        block.append_op("fetch_barrier", {}, {"Out": get_vars}, {"endpoints": list(dict.fromkeys(epmap))})
    return get_vars


class ListenAndServ:
    """A server that runs the operators of its block whenever all clients have sent the inputs.

    Args:
        endpoint: where it listens.
        inputs: the variables that clients send, or their names.
        fan_in: how many clients there are.
        optimizer_mode: whether the block updates parameters by gradients.

    Example:
        server = ListenAndServ("127.0.0.1:6170", ["x"], optimizer_mode=False)
        with server.do():
            x = layers.data("x", [32, 32], append_batch_size=False)
            layers.assign(layers.scale(x, scale=10.0), answer)  # a persistable variable, which clients receive
    """

    def __init__(self, endpoint: str, inputs: list[Any], fan_in: int = 1, optimizer_mode: bool = True):
        self.helper = LayerHelper("listen_and_serv")
        self.inputs, self.outputs = inputs, []  # type: ignore[var-annotated]
        self.endpoint, self.fan_in, self.optimizer_mode = endpoint, fan_in, optimizer_mode

    def do(self) -> BlockGuardServ:
        """The operators built inside `with ....do():` are those that the server runs."""
        return BlockGuardServ(self)

    def parent_block(self) -> Block:
        program = self.helper.main_program
        return program.block(program.current_block().parent_idx)

    def get_params_and_grads(self) -> tuple[list[Any], list[Any]]:
        """What the block updates, and by what; without optimizer_mode all that it reads, twice."""
        params: list[Any] = []
        grads: list[Any] = []
        for op in self.helper.main_program.current_block().ops:
            if not self.optimizer_mode:
                read = [self.parent_block().var(name) for name in op.input_arg_names]
                params, grads = params + read, grads + read
            elif "Grad" in op.inputs and "Param" in op.inputs:
                params, grads = params + op.input("Param"), grads + op.input("Grad")
        return params, grads

    def complete_op(self) -> None:
        """Append listen_and_serv with the block that was built."""
        inside, around = self.helper.main_program.current_block(), self.parent_block()
        for name in (getattr(one, "name", one) for one in self.inputs):
            if name in inside.vars and around.find_var(name) is None:
                around._clone_variable(inside.vars[name])  # it arrives from outside
        around.append_op("listen_and_serv", {"X": self.inputs}, {}, {
            "endpoint": self.endpoint,
            "Fanin": self.fan_in,
            "optimize_blocks": [inside],
            "distributed_mode": DistributedMode.SYNC,
            "grad_to_block_id": [""],
        })  # fmt: skip


class BlockGuardServ(BlockGuard):
    """What ListenAndServ.do gives to `with`."""

    def __init__(self, server: ListenAndServ):
        if not isinstance(server, ListenAndServ):
            raise ArgumentError(f"BlockGuardServ: server must be a ListenAndServ, got {type(server).__name__}")
        super().__init__(server.helper.main_program)
        self.server = server

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> bool:
        if kind is None:
            self.server.complete_op()
        return super().__exit__(kind, error, trace)


def _check_list(what: str, name: str, given: object) -> None:
    if not isinstance(given, list):
        raise ArgumentError(f"{what}: {name} must be a list of variables, got {type(given).__name__}")


def _variables(what: str, name: str, given: Any) -> list[Any]:
    found = [] if given is None else [given] if isinstance(given, Variable) else given
    _check_list(what, name, found)
    return found
