"""Layers of random Python over tensors: the same number always gives the same source. test_generated.py runs them."""

import random

NAMES = ("a", "b", "c")
HEAD = """from paddle import fluid
from paddle.fluid import layers
from paddle.fluid.dygraph import Layer, Linear, declarative


def plain(x, y, times=1):
    for _ in range(times):
        if x > y:
            return x * 0.5 - y
        x = x + 0.25
    return x - y


@declarative
def decorated(x, y):
    while x < y:
        x = x + 1.0
    return x * 0.5


def recursive(x, depth):
    if depth <= 0:
        return x
    if x > 1:
        return recursive(x * 0.5, depth - 1) + 0.5
    return recursive(x, depth - 1) * 1.5


class Net(Layer):
    def __init__(self):
        super().__init__()
        self.first, self.second = Linear(3, 3, dtype="{dtype}"), Linear(3, 3, act="tanh", dtype="{dtype}")
        self.factor = 1.5

    def method(self, x, rows):
        if x < 0:
            return layers.reduce_mean(self.first(rows)) * self.factor
        return x * 0.5

    def forward(self, a, b, c, m, n, k):
"""


class Writer:
    """Writes `Net.forward(a, b, c, m, n, k)`.

    a, b, c are tensors [1], m is a tensor [rows, 3], n an int64 tensor, k a number of Python. Inside there are also
    a list, a dict and a tuple of tensors [1].
    """

    def __init__(self, seed: int, size: int):
        self.random = random.Random(seed)
        self.dtype = self.random.choice(["float32", "float64"])
        self.count = 0
        self.room = size  # statements after which no more blocks are begun
        self.lines: list[str] = []

    def source(self) -> str:
        self.lines = []
        self.write(2, "parts, d, t = [a, b * 2], {'p': a, 'q': b}, (b, c)")
        for _ in range(self.random.randint(3, 5)):
            self.statement(2, 0, in_loop=False)
        last = self.random.choice([
            "return a + b - c", "return a + b, c + layers.reduce_sum(m)", "return [a, {'m': m, 'c': c * b}]",
            "return layers.sums([a, b, t[0], d['p']]), m * c", "return layers.reduce_sum(layers.concat(parts)) + a, m",
            "return parts, a - c", "return {'parts': parts, 'm': m * b}",
        ])  # fmt: skip
        returns = [line for line in self.lines if line.strip().startswith("return")]
        if returns:  # what is returned early is one tensor
            last = "return a + b - c * d['q'] + layers.reduce_mean(m)"
        self.write(2, last)
        return HEAD.replace("{dtype}", self.dtype) + "\n".join([*self.lines, ""])

    # -- expressions ------------------------------------------------------------------------------------------------

    def chance(self, part: float) -> bool:
        return self.random.random() < part

    def pick(self, *texts: str) -> str:
        return self.random.choice(texts)

    def name(self) -> str:
        return self.random.choice(NAMES)

    def scalar(self, depth: int = 0) -> str:
        """An expression of shape [1]."""
        if depth > 2 or self.chance(0.3):
            return self.name()
        x, y = self.scalar(depth + 1), self.name()
        return self.pick(
            f"({x} {self.pick('+', '-')} {y})", f"({x} {self.pick('+', '-')} {y})", f"{y} * {self.number()}",
            f"layers.tanh({x})", "t[0]", "t[1]", "d['p']", "d['q']", "parts[0]", "parts[-1]",
            f"max({y}, {self.name()})", "layers.reduce_mean(m)", "layers.reduce_mean(m[0])",
            "layers.reduce_mean(m[-1])", f"({y} + 0.5)", f"({y} + m.shape[0] * 0.125)",
            f"({y} + len(m) * 0.25)", f"({y} + m.shape[1])", f"sum([{y}, {self.name()}])",
            "layers.sums([v * 0.5 for v in t])", f"plain({y}, {self.name()})", f"plain({y}, y=c, times=k)",
            "plain(*t)", f"decorated({y}, {self.name()})", f"recursive({y}, {self.pick('2', 'k')})",
            f"self.method({y}, m)", f"({y} if {self.condition()} else {self.name()} * 0.5)",
            "layers.reduce_mean(self.second(m))", f"(lambda v: v * 0.5 + {self.name()})({y})",
            "layers.reduce_mean(m[:, 1])", f"layers.reduce_mean(m * {y})",
        )  # fmt: skip

    def matrix(self) -> str:
        return self.pick(
            "m * 0.5", "m + a", "layers.tanh(m)", "self.first(m) * 0.5", "self.second(m)", "m - layers.reduce_mean(m)",
            "layers.concat([m[:1], m * 0.5], axis=0)" if self.room > 10 else "m", "layers.reshape(m, [m.shape[0], 3])",
            "layers.reshape(layers.transpose(m, [1, 0]), [-1, 3])", "m * (1.0 / m.shape[0])", f"m - {self.name()}",
        )  # fmt: skip

    def number(self) -> str:
        return self.pick("0.5", "1.5", "-1.0", "2", "0.25")

    def condition(self) -> str:
        sign = self.pick("<", ">", "<=", ">=")
        plain = f"{self.name()} {sign} {self.pick('0', '1', '-1.5', '3', self.name())}"
        return self.pick(
            plain, plain, plain, f"not {plain}", f"{plain} and {self.name()} > -2", f"{plain} or k > 1",
            f"-5 < {self.name()} < 4", f"k % 2 == {self.random.randint(0, 1)}", "layers.mean(m) > 0.1",
            "n > 1", "n == 2 or a > 1", "m.shape[0] > 2", f"bool({plain})", f"float({self.name()}) > 0.5",
            "int(n) + k > 2", "len(parts) > 2", f"{plain} and not (b > 1 or k == 0)",
        )  # fmt: skip

    # -- statements -------------------------------------------------------------------------------------------------

    def write(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def block(self, indent: int, depth: int, in_loop: bool) -> None:
        for _ in range(self.random.randint(1, 3)):
            self.statement(indent, depth, in_loop)

    def statement(self, indent: int, depth: int, in_loop: bool) -> None:
        kinds = [self.assignment] * 4 + [self.container] * 3 + [self.idiom] * 2
        if depth < 3 and self.room > 0:
            kinds += [self.branch] * 3 + [self.loop] * 3 + [self.leave] + [self.inner]
        self.room -= 1
        self.random.choice(kinds)(indent, depth, in_loop)

    def assignment(self, indent: int, depth: int, in_loop: bool) -> None:
        x, y = self.random.sample(NAMES, 2)
        self.write(indent, self.pick(
            f"{x} = {self.scalar()}", f"{x} = {self.scalar()}", f"{x} += {self.scalar()}",
            f"{x}, {y} = {y}, {self.scalar()}", f"{x} = {self.scalar()} if {self.condition()} else {self.scalar()}",
            f"m = {self.matrix()}", f"m = {self.matrix()} if {self.condition()} else m * 2", f"{x} = float({y}) + {x}",
            f"{x} = {x} + int(n)", f"assert {x} * {x} >= 0, 'squares'", f"{x} *= 0.5",
        ))  # fmt: skip

    def container(self, indent: int, depth: int, in_loop: bool) -> None:
        x, y = self.name(), self.name()
        chosen = self.pick(
            "append", "set", "dict", "dict", "tuple", "tuple", "unpack", "pop", "for", "comprehension", "join", "keys"
        )
        lines = {
            "append": [f"parts.append({self.scalar()})"], "set": [f"parts[{self.pick('0', '1', '-1')}] = {x} + 0.5"],
            "dict": [f"d[{self.pick(repr('p'), repr('q'))}] = {self.scalar()}"],
            "tuple": [f"t = ({x}, {self.scalar()})"],
            "unpack": ["a, b = t"], "pop": [f"parts.append({x} * 0.5)", f"{y} = {y} + parts.pop()"],
            "for": ["for p in parts:", f"    {x} = {x} * 0.5 + p"],
            "comprehension": [f"{x} = sum([v * 0.5 for v in t])"],
            "join": [f"{x} = {self.pick('layers.reduce_mean(layers.concat(parts))', 'layers.sums(parts)')}",
                     f"{y} = layers.reduce_sum(layers.stack(parts, axis=0)) * 0.25"],
            "keys": ["for key in d:", f"    {x} = {x} * 0.5 + d[key]"],
        }[chosen]  # fmt: skip
        for line in lines:
            self.write(indent, line)

    def idiom(self, indent: int, depth: int, in_loop: bool) -> None:
        """A few lines that belong together."""
        self.count += 1
        x, y = self.random.sample(NAMES, 2)
        i, test = f"i{self.count}", self.condition()
        chosen = self.random.choice([
            [f"{i} = 0", "while True:", f"    {i} += 1", f"    {x} = {x} * 0.5", f"    if {test} or {i} > 3:",
             "        break", f"{y} = {y} + {i}"],
            [f"for {i} in range(4):", f"    if {test}:", "        continue", f"    {x} = {x} + {i} * 0.25", "else:",
             f"    {y} = {y} - 1"],
            [f"{i} = [[{x}, {y}], [{y} * 2]]", f"if {test}:", f"    {i}[0][1] = {x} * 0.5",
             f"{x} = {i}[0][1] + {i}[1][0]"],
            [f"{i} = {{'u': [{x}], 'v': ({y}, 1.0)}}", f"if {test}:", f"    {i}['v'] = ({x}, 2.0)",
             f"{y} = {i}['u'][0] * 0.5 + {i}['v'][0] * {i}['v'][1]"],
            [f"parts[0] += {x} * 0.5", "d['p'] *= 0.5", f"{y} -= parts[0]"],
            [f"{i} = None", f"if {i} is None or {test}:", f"    {i} = {x}", f"{y} = {y} + {i}"],
            [f"{x}, *{i} = [{y}, {x}, c]", f"{y} = {i}[0] - {i}[1] * 0.5"],
            ["with fluid.name_scope('s'):", f"    if {test}:", f"        {x} = {x} - 0.5"],
            ["try:", f"    {x} = {x} + (1.0 if {test} else 2.0)", "finally:", f"    {y} = {y} * 0.5"],
            [f"{i} = 0", f"for {i}_row in m:", f"    if layers.reduce_sum({i}_row) > 0:", f"        {i} += 1",
             f"{x} = {x} + {i} * 0.5"],
            [f"def {i}(*vs, w=1.0):", "    total = 0.0", "    for v in vs:", "        if v > total:",
             "            total = total + v * w", "    return total, len(vs)",
             f"{x}, {i}_n = {i}({x}, {y}, w=0.5)", f"{x} = {x} + {i}_n * 0.25 + c * 0"],
            [f"{i} = {x} > 0", f"{y} = {y} * 2 if {i} and {test} else {y}", f"if not {i}:", f"    {x} = {x} + 0.5"],
            [f"{i} = []", f"for {i}_p in t:", f"    {i}.append({i}_p * 0.5)", f"    if {test}:",
             f"        {i}.append({x})", f"{y} = {y} + layers.sums({i}) * 0.5"],
            [f"{i} = m.shape[0] // 2 + k % 2", f"{x} = {x} * 0.5 + {i}", f"{y} = {y} - {i} / 4"],
        ])  # fmt: skip
        for line in chosen:
            self.write(indent, line)

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
        self.count += 1
        i = f"i{self.count}"
        x, y = self.name(), self.name()
        if self.chance(0.4):
            self.write(indent, f"{i} = 0")
            self.write(indent, f"while {i} < {self.pick('2', '3', 'n', 'k')} and ({self.condition()}):")
            self.write(indent + 1, f"{i} += 1")
        else:
            items, first = self.random.choice([
                ("range(3)", f"{x} = {x} + {y} * {i}"), ("range(n)", f"{x} = {x} + {y} * {i} * 0.5"),
                ("[1.0, 2.0]", f"{x} = {x} - {y} * {i}"), ("range(1, n)", f"{x} = {x} + {i}"),
                ("m", f"{x} += layers.reduce_sum({i})"), ("t", f"{x} = {x} - {i}"),
                ("enumerate(m)", f"{x} = {x} + layers.reduce_sum({i}[1]) * {i}[0]"),
                ("zip(m, m)", f"{x} = {x} + layers.reduce_mean({i}[0] * {i}[1])"),
                ("range(len(m))", f"{x} = {x} + layers.reduce_mean(m[{i}])"),
                ("enumerate(t)", f"{x} = {x} + {i}[1] * {i}[0]"), ("range(m.shape[0])", f"{x} = {x} + 0.5"),
                ("range(k)", f"{x} = {x} * 0.5 + {i}"), ("range(n, 0, -1)", f"{x} = {x} - {i} * 0.25"),
                ("parts", f"{x} = {x} + {i} * 0.25"), ("enumerate(parts)", f"{x} = {x} + {i}[1] * 0.25"),
            ])  # fmt: skip
            self.write(indent, f"for {i} in {items}:")
            self.write(indent + 1, first)
            if "parts" in items:
                return  # nobody changes a list while going through it
        self.block(indent + 1, depth + 1, in_loop=True)
        if self.chance(0.2):
            self.write(indent, "else:")
            self.block(indent + 1, depth + 1, in_loop)

    def leave(self, indent: int, depth: int, in_loop: bool) -> None:
        self.write(indent, f"if {self.condition()}:")
        ways = ["break", "continue"] if in_loop else []
        self.write(indent + 1, self.random.choice([*ways, f"return {self.scalar()}"]))

    def inner(self, indent: int, depth: int, in_loop: bool) -> None:
        self.count += 1
        f = f"f{self.count}"
        x, y = self.name(), self.name()
        self.write(indent, f"def {f}(v, w=0.5):")
        if self.chance(0.3):
            self.write(indent + 1, f"nonlocal {x}")
            self.write(indent + 1, f"{x} = {x} * 0.5")
        self.write(indent + 1, f"if v {self.pick('<', '>')} {self.pick('0', y)}:")
        self.write(indent + 2, f"return v * w + {self.pick(x, y, '1.0')}")
        self.write(indent + 1, self.pick(f"return v - {y}", "v = v * 0.5\n" + "    " * (indent + 1) + "return v"))
        self.write(indent, f"{y} = {f}({self.name()}{self.pick('', ', 0.25', ', w=1.5')})")
