"""Functions of random control flow, nested in one another: the same number always gives the same source."""

import random

NAMES = ("a", "b", "c")


class Writer:
    """Writes `f(a, b, c, n, k)`: a, b, c are tensors [1], n is an int64 tensor, k a number of Python."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.loops = 0
        self.lines: list[str] = []

    def source(self) -> str:
        self.lines = ["from paddle.fluid import layers", "", "", "def f(a, b, c, n, k):"]
        for _ in range(self.random.randint(3, 5)):
            self.statement(1, 0, in_loop=False)
        return "\n".join([*self.lines, "    return a + b - c", ""])

    def chance(self, part: float) -> bool:
        return self.random.random() < part

    def name(self) -> str:
        return self.random.choice(NAMES)

    def expression(self, depth: int = 0) -> str:
        if depth > 2 or self.chance(0.35):
            return self.name()
        if self.chance(0.25):
            return f"{self.name()} * {self.random.choice(['0.5', '1.5', '-1.0', '2'])}"
        if self.chance(0.15):
            return f"layers.tanh({self.expression(depth + 1)})"
        return f"({self.expression(depth + 1)} {self.random.choice('+-')} {self.expression(depth + 1)})"

    def condition(self) -> str:
        sign = self.random.choice(["<", ">", "<=", ">="])
        plain = f"{self.name()} {sign} {self.random.choice(['0', '1', '-1.5', '3', self.name()])}"
        return self.random.choice([
            plain, plain, plain, f"not {plain}", f"{plain} and {self.name()} > -2", f"{plain} or k > 1",
            f"-5 < {self.name()} < 4", f"k % 2 == {self.random.randint(0, 1)}",
        ])  # fmt: skip

    def write(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def block(self, indent: int, depth: int, in_loop: bool) -> None:
        for _ in range(self.random.randint(1, 3)):
            self.statement(indent, depth, in_loop)

    def statement(self, indent: int, depth: int, in_loop: bool) -> None:
        kinds = [self.assignment] * 3 + ([self.branch] * 2 + [self.loop] * 2 + [self.leave] if depth < 3 else [])
        self.random.choice(kinds)(indent, depth, in_loop)

    def assignment(self, indent: int, depth: int, in_loop: bool) -> None:
        x, y = self.random.sample(NAMES, 2)
        self.write(indent, self.random.choice([
            f"{x} = {self.expression()}", f"{x} += {self.expression()}", f"{x}, {y} = {y}, {self.expression()}",
            f"{x} = {self.expression()} if {self.condition()} else {self.expression()}",
        ]))  # fmt: skip

    def branch(self, indent: int, depth: int, in_loop: bool) -> None:
        self.write(indent, f"if {self.condition()}:")
        self.block(indent + 1, depth + 1, in_loop)
        if self.chance(0.3):
            self.write(indent, f"elif {self.condition()}:")
            self.block(indent + 1, depth + 1, in_loop)
        if self.chance(0.6):
            self.write(indent, "else:")
            self.block(indent + 1, depth + 1, in_loop)

    def loop(self, indent: int, depth: int, in_loop: bool) -> None:
        self.loops += 1
        counter = f"i{self.loops}"
        if self.chance(0.5):
            self.write(indent, f"{counter} = 0")
            self.write(indent, f"while {counter} < {self.random.choice(['2', '3', 'n'])} and ({self.condition()}):")
            self.write(indent + 1, f"{counter} += 1")
        else:
            items = self.random.choice(["range(3)", "range(n)", "[1.0, 2.0]", "range(1, n)"])
            self.write(indent, f"for {counter} in {items}:")
            self.write(indent + 1, f"{self.name()} = {self.name()} + {self.name()} * {counter}")
        self.block(indent + 1, depth + 1, in_loop=True)
        if self.chance(0.2):
            self.write(indent, "else:")
            self.block(indent + 1, depth + 1, in_loop)

    def leave(self, indent: int, depth: int, in_loop: bool) -> None:
        self.write(indent, f"if {self.condition()}:")
        ways = ["break", "continue"] if in_loop else []
        self.write(indent + 1, self.random.choice([*ways, f"return {self.expression()}"]))
