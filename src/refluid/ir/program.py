"""Program: blocks of operators; and the two default programs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.later import Later, LaterStatic
from refluid.core.per_thread import PerThread
from refluid.core.random import RandomState
from refluid.ir.block import Block
from refluid.ir.members import ProgramMembers
from refluid.ir.operator import Operator
from refluid.ir.proto_text import program_text
from refluid.ir.roles import OpRole
from refluid.ir.variable import Parameter, Variable


class Program(ProgramMembers):
    """A list of blocks of variables and operators; block 0 is the global one.

    Layer functions write to the default main program, and the initialization of parameters to the default startup
    program. `version` grows with every change.

    Example:
        >>> main, startup = fluid.Program(), fluid.Program()
        >>> with fluid.program_guard(main, startup):
        ...     y = fluid.layers.fc(fluid.data("x", [None, 3]), size=2)
        >>> [op.type for op in main.global_block().ops], len(startup.global_block().ops)
        (['mul', 'elementwise_add'], 2)
        >>> test = main.clone(for_test=True)
    """

    parse_from_string = LaterStatic("refluid.saving.program_file:parse_from_string")
    to_source = Later("refluid.executor.executor:to_source")

    def __init__(self) -> None:
        self.version = 0
        self.blocks = [Block(self, 0)]
        self.current_block_idx = 0
        self.random = RandomState()
        if Program.seed_of_new_ones:
            self.random.set_seed(Program.seed_of_new_ones)
        self.op_device = ""  # what device_guard says of the operators being built
        self._pipeline_opt: dict[str, Any] | None = None  # see optim/pipeline.py
        self._op_role: int = OpRole.Forward
        self._op_role_var: list[str] = []
        self._name_scopes: list[str] = []
        self._scope_children: dict[str, dict[str, int]] = {}
        self.gradient_calls = 0  # how often a backward pass was appended
        self.readers: list[Any] = []  # each has `names` and `next_feed()`; the executor asks for what is not fed
        self.plans: dict[Any, Any] = {}  # compiled by the executor, dropped when the version moves on

    def touch(self) -> None:
        self.version += 1

    # -- blocks -------------------------------------------------------------------------------------------------

    def global_block(self) -> Block:
        """The block that holds all others.

        Returns:
            A Block.
        """
        return self.blocks[0]

    def block(self, index: int) -> Block:
        """A block by its index.

        Args:
            index: 0 for the global block.

        Returns:
            A Block.
        """
        return self.blocks[index]

    def current_block(self) -> Block:
        """The block that layer functions write to now.

        Returns:
            A Block.
        """
        return self.blocks[self.current_block_idx]

    @property
    def num_blocks(self) -> int:
        return len(self.blocks)

    def _create_block(self, parent_idx: int | None = None) -> Block:
        block = Block(self, len(self.blocks), self.current_block_idx if parent_idx is None else parent_idx)
        self.blocks.append(block)
        self.current_block_idx = block.idx
        self.touch()
        return block

    def _rollback(self) -> None:
        self.current_block_idx = self.current_block().parent_idx

    def list_vars(self) -> Iterator[Variable]:
        """The variables of all blocks.

        Yields:
            Variables.
        """
        for block in self.blocks:
            yield from block.vars.values()

    def all_parameters(self) -> list[Parameter]:
        """The parameters of all blocks.

        Returns:
            A list of parameters.
        """
        return [param for block in self.blocks for param in block.all_parameters()]

    # -- seeds, roles, name scopes ------------------------------------------------------------------------------

    @property
    def random_seed(self) -> int:
        return self.random.seed

    @random_seed.setter
    def random_seed(self, seed: int) -> None:
        if not isinstance(seed, int):
            raise ArgumentError(f"random_seed must be an int, got {type(seed).__name__}")
        self.random.set_seed(seed)

    seed_of_new_ones = 0
    tells_versions = False  # whether a file of it says which release its operators need
    file_version = 0  # the release that a file of it claims; 0 lets the writer say

    def global_seed(self, seed: int = 0) -> None:
        """Set the random seed of this program and of all programs that are made after it."""
        self.random_seed = seed
        Program.seed_of_new_ones = seed

    @contextlib.contextmanager
    def role(self, role: int, role_vars: list[str] | None = None) -> Iterator[None]:
        """Operators appended inside get this role."""
        old = self._op_role, self._op_role_var
        self._op_role, self._op_role_var = int(role), role_vars or []
        try:
            yield
        finally:
            self._op_role, self._op_role_var = old

    def _optimized_guard(self, param_and_grads: list[Any]) -> AbstractContextManager[None]:
        return self.role(OpRole.Optimize, [v if isinstance(v, str) else v.name for v in param_and_grads])

    def _backward_role_guard(self) -> AbstractContextManager[None]:
        return self.role(OpRole.Backward)

    def _lr_schedule_guard(self, is_with_opt: bool = False) -> AbstractContextManager[None]:
        return self.role(OpRole.LRSched | OpRole.Optimize if is_with_opt else OpRole.LRSched)

    def _name_scope_text(self) -> str:
        return "/" + "".join(f"{name}/" for name in self._name_scopes)

    @contextlib.contextmanager
    def name_scope(self, prefix: str) -> Iterator[None]:
        siblings = self._scope_children.setdefault(self._name_scope_text(), {})
        count = siblings.get(prefix, 0)
        siblings[prefix] = count + 1
        self._name_scopes.append(prefix if count == 0 else f"{prefix}_{count}")
        try:
            yield
        finally:
            self._name_scopes.pop()

    # -- whole-program functions --------------------------------------------------------------------------------

    def clone(self, for_test: bool = False) -> Program:
        """A copy of the program.

        Args:
            for_test: leave out backward and optimizer operators, and set is_test of the others.

        Returns:
            A Program.
        """
        from refluid.ir.clone import clone

        return clone(self, for_test)

    def _prune(self, targets: object, feeds: object = ()) -> Program:
        from refluid.ir.prune import prune

        return prune(self, targets, feeds)

    def to_string(self, throw_on_error: bool = True, with_details: bool = False) -> str:
        return program_text(self, with_details)

    def __str__(self) -> str:
        return self.to_string()

    __repr__ = object.__repr__

    def operators(self) -> Iterator[Operator]:
        for block in self.blocks:
            yield from block.ops


_main: PerThread[Program] = PerThread("main_program", Program())
_startup: PerThread[Program] = PerThread("startup_program", Program())


def default_main_program() -> Program:
    """The program that layer functions write to.

    Returns:
        A Program.

    Example:
        >>> y = fluid.layers.relu(fluid.data("x", [None, 3]))
        >>> [op.type for op in fluid.default_main_program().global_block().ops]
        ['relu']
    """
    return _main.get()


def _get_var(name: str, program: Program | None = None) -> Variable:
    """A variable of a program (the default main program) by its name."""
    return (default_main_program() if program is None else program).global_block().var(name)


def default_startup_program() -> Program:
    """The program that initializes parameters; run it once before the main program.

    Returns:
        A Program.

    Example:
        >>> y = fluid.layers.fc(fluid.data("x", [None, 3]), size=2)
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> exe.run(fluid.default_startup_program())
        []
        >>> np.array(fluid.global_scope().find_var("fc_0.b_0").get_tensor()).tolist()
        [0.0, 0.0]
    """
    return _startup.get()


def switch_main_program(program: Program) -> Program:
    """Make a program the default main program.

    Args:
        program: the program.

    Returns:
        The program that was it before.
    """
    return _main.set(program)


def switch_startup_program(program: Program) -> Program:
    """Make a program the default startup program.

    Args:
        program: the program.

    Returns:
        The program that was it before.
    """
    return _startup.set(program)


@contextlib.contextmanager
def program_guard(main_program: Program, startup_program: Program | None = None) -> Iterator[None]:
    """Make these the default programs inside a `with` block.

    Args:
        main_program: the program that layer functions write to.
        startup_program: the program that initializes parameters; the present one if None.

    Yields:
        None.

    Example:
        >>> main, startup = fluid.Program(), fluid.Program()
        >>> with fluid.program_guard(main, startup):
        ...     x = fluid.data("x", [None, 3])
        >>> x.block.program is main
        True
    """
    for name, program in (("main_program", main_program), ("startup_program", startup_program)):
        if not isinstance(program, Program) and not (program is None and name == "startup_program"):
            raise ArgumentError(f"program_guard: {name} must be a fluid.Program, got {type(program).__name__}")
    startup = _startup.holding(startup_program) if startup_program is not None else contextlib.nullcontext()
    with _main.holding(main_program), startup:
        yield


@contextlib.contextmanager
def name_scope(prefix: str | None = None) -> Iterator[None]:
    """Mark the operators built inside with a name, for drawings of programs; variable names do not change.

    Args:
        prefix: the name.

    Yields:
        None.
    """
    if not prefix:
        raise ArgumentError("name_scope: prefix must be a str that is not empty")
    with default_main_program().name_scope(prefix):
        yield


def switch_device(device: str | None) -> str | None:
    """Note on the operators built from now on what device they are meant for; returns the note until now."""
    program = default_main_program()
    before, program.op_device = program.op_device, device or ""
    return before or None


@contextlib.contextmanager
def device_guard(device: str | None = None) -> Iterator[None]:
    """Mark the operators built inside as meant for a device.

    Programs keep the mark; all operators of a program run on the executor's device.

    Args:
        device: "cpu", "gpu", or None for no mark.

    Yields:
        None.
    """
    if device not in ("cpu", "gpu", "", None):
        raise ArgumentError(f"device_guard: device must be 'cpu', 'gpu', '' or None, got {device!r}")
    program = default_main_program()
    before, program.op_device = program.op_device, device or ""
    try:
        yield
    finally:
        program.op_device = before
