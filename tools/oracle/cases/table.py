"""How a row of the operator tables is written.

`case(type, inputs, attrs, outs, grad)`: `inputs` maps a slot to an array, to `lod(array, lengths)` or to a list of
these; `outs` names the output slots ("Out Mask", "Out*3" for a slot of three variables); `grad` names the input slots
whose gradients are recorded, given random gradients of the outputs named in `through` (the first output by itself).
`alias` maps an output slot to the input slot whose variable it overwrites.
"""

import collections
import zlib

import numpy as np

CASES = []
Case = collections.namedtuple("Case", "type inputs attrs outs grad through alias")
Ragged = collections.namedtuple("Ragged", "array lengths")
_random = np.random.RandomState(2020)


def case(type, inputs, attrs=None, outs="Out", grad="", through=None, alias=None):
    outs = outs.split()
    through = through.split() if through else [outs[0].partition("*")[0]]
    CASES.append(Case(type, inputs, attrs or {}, outs, grad.split(), through, alias or {}))


def draw_for(table):
    """Seed what the table draws by its name: what is added to one leaves the numbers of the others."""
    _random.seed(zlib.crc32(table.encode()))


def rand(*shape, low=-1.0, high=1.0, dtype="float32"):
    """Random numbers of three decimals: short to store, exact to read back."""
    return np.round(_random.uniform(low, high, shape), 3).astype(dtype)


def spread(*shape, step=0.25):
    """Distinct numbers, none within step/2 of another or of zero: safe for maxima, sorting and kinks."""
    count = int(np.prod(shape))
    values = (np.arange(count) - count // 2 + 0.5) * step
    return _random.permutation(values).reshape(shape).astype("float32")


def ints(*shape, low=0, high=10, dtype="int64"):
    return _random.randint(low, high, shape).astype(dtype)


def floats(*values):
    return np.array(values, "float32")


def longs(*values):
    return np.array(values, "int64")


def lod(array, *lengths):
    """A ragged input: `lengths` is one list per level, outermost first."""
    return Ragged(array, [list(level) for level in lengths])
