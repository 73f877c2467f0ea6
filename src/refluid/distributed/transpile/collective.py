"""Programs of trainers that sum gradients, or parameters, among themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from refluid.core import unique_name
from refluid.core.dtypes import VarType
from refluid.core.errors import ArgumentError, NotDefinedError
from refluid.distributed import collective_ops as collective_ops, several_trainers as several_trainers  # register
from refluid.ir.operator import Operator
from refluid.ir.program import Program, default_main_program, default_startup_program
from refluid.ir.roles import ROLE, ROLE_VAR, OpRole, has_role
from refluid.ir.variable import Parameter, Variable

if TYPE_CHECKING:
    from refluid.ir.block import Block


class Collective:
    """Base: the startup program meets the others, makes `nrings` rings and takes the parameters of rank 0."""

    mode = ""

    def __init__(self, nrings: int):
        self.nrings = nrings
        self.endpoints: list[str] = []
        self.current_endpoint = ""
        self.nranks = 0
        self.rank = 0
        self.startup_program: Program
        self.main_program: Program

    def transpile(
        self, startup_program: Program | None, main_program: Program | None, rank: int, endpoints: str | Sequence[str],
        current_endpoint: str, wait_port: bool,
    ) -> None:  # fmt: skip
        """Rewrite both programs (the default ones if None) for rank `rank` of all `endpoints`.

        `wait_port` is taken for compatibility: ranks wait for one another when the startup program runs.
        """
        self.endpoints = endpoints.split(",") if isinstance(endpoints, str) else list(endpoints)
        self.nranks = len(self.endpoints)
        if self.nranks == 1 and self.mode != "single_process_multi_thread":
            raise ArgumentError(f"{type(self).__name__}: more than one endpoint is needed, got {self.endpoints[0]}")
        if not rank >= 0:
            raise ArgumentError(f"{type(self).__name__}: rank must not be negative, got {rank}")
        if current_endpoint not in self.endpoints:
            raise ArgumentError(
                f"{type(self).__name__}: the current endpoint {current_endpoint} is not among "
                f"{', '.join(self.endpoints)}"
            )
        self.rank, self.current_endpoint = rank, current_endpoint
        self.startup_program = startup_program or default_startup_program()
        self.main_program = main_program or default_main_program()
        self.startup_program._origin_program = self.startup_program.clone()  # type: ignore[attr-defined]
        self._transpile_startup_program()
        self.main_program._origin_program = self.main_program.clone()  # type: ignore[attr-defined]
        self._transpile_main_program()

    def _transpile_main_program(self) -> None:
        raise NotDefinedError(f"{type(self).__name__} must define _transpile_main_program")

    def _transpile_startup_program(self) -> None:
        for ring_id in range(self.nrings):
            self._init_communicator(ring_id)
        self._broadcast_params()

    def _init_communicator(self, ring_id: int) -> None:
        block = self.startup_program.global_block()
        nccl_id = block.create_var(name=unique_name.generate("nccl_id"), persistable=True, type=VarType.RAW)
        others = [endpoint for endpoint in self.endpoints if endpoint != self.current_endpoint]
        block.append_op(
            "c_gen_nccl_id", {}, {"Out": nccl_id},
            {"rank": self.rank, "endpoint": self.current_endpoint, "other_endpoints": others, ROLE: OpRole.Forward},
        )  # fmt: skip
        block.append_op(
            "c_comm_init", {"X": nccl_id}, {},
            {"nranks": self.nranks, "rank": self.rank, "ring_id": ring_id, ROLE: OpRole.Forward},
        )  # fmt: skip

    def _broadcast_params(self) -> None:
        block = self.startup_program.global_block()
        params = _shared_parameters(block)
        for i, param in enumerate(params):
            attrs = {"ring_id": i % self.nrings, "root": 0, ROLE: OpRole.Forward}
            block.append_op("c_broadcast", {"X": param}, {"Out": param}, attrs)
        if params:
            self._sync_rings(block, len(block.ops), params[-1], OpRole.Forward)

    def _sync_rings(self, block: Block, index: int, var: Variable, role: OpRole) -> None:
        for ring_id in range(self.nrings):
            attrs = {"ring_id": ring_id, ROLE: role}
            block._insert_op(index + ring_id, "c_sync_comm_stream", {"X": var}, {"Out": var}, attrs)

    # -- what operators are -------------------------------------------------------------------------------------

    def _is_loss_grad_op(self, op: Operator) -> bool:
        return has_role(op.attrs, OpRole.Backward) and has_role(op.attrs, OpRole.Loss)

    def _is_backward_op(self, op: Operator) -> bool:
        return has_role(op.attrs, OpRole.Backward)

    def _is_update_op(self, op: Operator) -> bool:
        return {"Param", "Grad", "LearningRate"} <= set(op.input_names)

    def _is_optimizer_op(self, op: Operator) -> bool:
        return has_role(op.attrs, OpRole.Optimize)


class GradAllReduce(Collective):
    """Every gradient is summed over the trainers where it is computed; that of the loss is divided by their number."""

    mode = "grad_allreduce"

    def __init__(self, nrings: int = 2):
        super().__init__(nrings)

    def _transpile_main_program(self) -> None:
        self._scale_loss_grad()
        self._insert_allreduce()

    def _scale_loss_grad(self) -> None:
        block = self.main_program.global_block()
        for index, op in reversed(list(enumerate(block.ops))):
            if self._is_loss_grad_op(op):
                grad = block.vars[op.output_arg_names[0]]
                attrs = {"scale": 1.0 / self.nranks, ROLE: OpRole.Backward}
                block._insert_op(index + 1, "scale", {"X": grad}, {"Out": grad}, attrs)

    def _insert_allreduce(self) -> None:
        block = self.main_program.global_block()
        count = 0
        last = None
        # From the end, so that positions stay valid and rings alternate as in Fluid.
        for index, op in reversed(list(enumerate(block.ops))):
            if not self._is_backward_op(op):
                continue
            names = op.attrs.get(ROLE_VAR) or []
            pairs = [(block.vars[p], block.vars[g]) for p, g in zip(names[::2], names[1::2], strict=True)]
            pairs = [(param, grad) for param, grad in pairs if not getattr(param, "is_distributed", False)]
            for number, (_, grad) in enumerate(pairs):
                if not number:
                    block._insert_op(
                        index + 1, "c_sync_calc_stream", {"X": grad}, {"Out": grad}, {ROLE: OpRole.Backward}
                    )
                attrs = {"ring_id": count % self.nrings, ROLE: OpRole.Backward}
                block._insert_op(index + 2, "c_allreduce_sum", {"X": grad}, {"Out": grad}, attrs)
                count += 1
                last = grad
        if last is None:
            return
        first = next((i for i, op in enumerate(block.ops) if self._is_optimizer_op(op)), None)
        if first is not None:
            self._sync_rings(block, first, last, OpRole.Backward)


class LocalSGD(Collective):
    """Every trainer updates its own parameters; their deltas are averaged after every step."""

    mode = "local_sgd"
    snapshot_key = "@SNAPSHOT"

    def __init__(self, nrings: int = 2):
        super().__init__(nrings)

    def snapshot_name(self, param_name: str) -> str:
        return param_name + self.snapshot_key

    def _snapshot(self, block: Block, param: Variable) -> Variable:
        return block.create_var(
            name=self.snapshot_name(param.name), shape=param.shape, dtype=param.dtype, persistable=True,
            stop_gradient=True,
        )  # fmt: skip

    def _transpile_startup_program(self) -> None:
        super()._transpile_startup_program()
        block = self.startup_program.global_block()
        for param in _shared_parameters(block):
            attrs = {ROLE: OpRole.Forward}
            block.append_op("assign", {"X": [param]}, {"Out": [self._snapshot(block, param)]}, attrs)

    def _transpile_main_program(self) -> None:
        block = self.main_program.global_block()
        moved: list[tuple[Variable, Variable]] = []  # parameters and their snapshots
        role = {ROLE: OpRole.Optimize}
        for index, op in reversed(list(enumerate(block.ops))):
            if not self._is_update_op(op):
                continue
            param = block.vars[op.input("Param")[0]]
            if getattr(param, "is_distributed", False):
                continue
            snapshot = self._snapshot(block, param)
            block._insert_op(index + 1, "elementwise_sub", {"X": [snapshot], "Y": [param]}, {"Out": [param]}, role)
            block._insert_op(index + 2, "c_sync_calc_stream", {"X": param}, {"Out": param}, role)
            attrs = {"ring_id": len(moved) % self.nrings, **role}
            block._insert_op(index + 3, "c_allreduce_sum", {"X": [param]}, {"Out": [param]}, attrs)
            moved.append((param, snapshot))
        if moved:
            self._sync_rings(block, len(block.ops), moved[-1][0], OpRole.Optimize)
        for param, snapshot in reversed(moved):
            block.append_op("scale", {"X": [param]}, {"Out": [param]}, {"scale": 1.0 / self.nranks, **role})
            block.append_op("elementwise_sub", {"X": [snapshot], "Y": [param]}, {"Out": [param]}, role)
            block.append_op("assign", {"X": [param]}, {"Out": [snapshot]}, role)


class SingleProcessMultiThread(GradAllReduce):
    """The places of one process, each with a thread of its own in Fluid."""

    mode = "single_process_multi_thread"

    def __init__(self) -> None:
        super().__init__(1)

    def _transpile_startup_program(self) -> None:
        self.startup_program.global_block().append_op("c_comm_init_all", attrs={"ring_id": 0})


def _shared_parameters(block: Block) -> list[Parameter]:
    return [param for param in block.all_parameters() if not getattr(param, "is_distributed", False)]
