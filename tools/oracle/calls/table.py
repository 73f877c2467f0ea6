"""A table of calls that runs on Fluid 1.8.5 and on Refluid alike, and what came of each call.

A file of this folder makes a `Table` called `calls` and fills it; README.md shows how. Plain Fluid code, Python 3.8.
"""

import numpy as np

import paddle.fluid as fluid

NAMES = {"fluid": fluid, "L": fluid.layers, "D": fluid.dygraph, "P": fluid.ParamAttr, "np": np}
KEPT = 64  # numbers of an array that are recorded one by one; of larger ones a part and the sums


class Given:
    """An input: its value, and how a static program declares it."""

    def __init__(self, value, shape=None, dtype=None, lengths=None, unchecked=False):
        self.value = np.asarray(value)
        self.shape = list(shape if shape is not None else self.value.shape)
        self.dtype = dtype or str(self.value.dtype)
        self.lengths = lengths
        self.unchecked = unchecked  # declared by fluid.layers.data, whose feeds are not checked

    def declare(self, name):
        level = len(self.lengths or [])
        if self.unchecked:
            return fluid.layers.data(name, self.shape, append_batch_size=False, dtype=self.dtype, lod_level=level)
        return fluid.data(name, self.shape, self.dtype, level)

    def feed(self):
        if self.lengths is None:
            return self.value
        return fluid.create_lod_tensor(self.value, self.lengths, fluid.CPUPlace())


def given(value, shape=None, dtype=None, lengths=None, unchecked=False):
    return Given(value, shape, dtype, lengths, unchecked)


def floats(*shape, **options):
    """Numbers between -0.7 and 0.9, the same everywhere."""
    size = int(np.prod(shape))
    value = (0.1 + 0.8 * np.sin(np.arange(size) * 1.7 + options.pop("seed", 0))).reshape(shape)
    return Given(value.astype(options.pop("of", "float32")), **options)


def ints(*shape, **options):
    """0, 1, 2, ... below `below`, again and again."""
    value = np.arange(int(np.prod(shape))) % options.pop("below", 5)
    return Given(value.reshape(shape).astype(options.pop("of", "int64")), **options)


class Table:
    def __init__(self):
        self.cases = {}

    def static(self, text, differs=None, grads=False, **inputs):
        """`text` is evaluated while a program is built; the variables it gives are computed."""
        self._add("static", text, lambda: run_static(text, inputs, grads), differs, inputs)

    def imperative(self, text, differs=None, grads=False, **inputs):
        """`text` is evaluated inside fluid.dygraph.guard()."""
        self._add("imperative", text, lambda: run_imperative(text, inputs, grads), differs, inputs)

    def program(self, function=None, differs=None, **arguments):
        """Decorator: a function that makes what it needs and returns what is compared. Or a call, with arguments."""
        if function is None:
            return lambda f: self.program(f, differs)
        text = "%s(%s)" % (function.__name__, ", ".join("%s=%r" % pair for pair in arguments.items()))
        self._add("program", text, lambda: run_program(function, arguments), differs, {})
        return function

    def _add(self, mode, text, run, differs, inputs):
        told = ", ".join("%s: %s%s" % (name, one.dtype, one.shape) for name, one in inputs.items())
        key = base = "%s: %s%s" % (mode, text, " | " + told if told else "")
        while key in self.cases:
            key = "%s #%d" % (base, 2 + sum(k.startswith(base + " #") for k in self.cases))
        self.cases[key] = {"run": run, "differs": differs}


def run_static(text, inputs, grads):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(fluid.core.Scope()):
        try:
            variables = {name: one.declare(name) for name, one in inputs.items()}
            for variable in variables.values():
                variable.stop_gradient = not grads
            result = eval(text, {**NAMES, **variables})
            outs = [out for out in flat(result) if isinstance(out, fluid.framework.Variable)]
            told = {"declared": [declared(out) for out in outs], "plain": [plain(v) for v in flat(result)]}
            told["ops"] = [op.type for op in main.global_block().ops]
            if grads:
                outs = outs + [g for g in fluid.gradients(sums(outs), list(variables.values())) if g is not None]
        except Exception as error:
            return {"raises": kinds(error), "at": "build"}
        try:
            exe = fluid.Executor(fluid.CPUPlace())
            exe.run(startup)
            fill(main, fluid.global_scope())
            feed = {name: one.feed() for name, one in inputs.items()}
            told["values"] = [held(v) for v in exe.run(main, feed=feed, fetch_list=outs, return_numpy=False)]
        except Exception as error:
            told.update({"raises": kinds(error), "at": "run"})
    return told


def run_imperative(text, inputs, grads):
    with fluid.dygraph.guard(), fluid.unique_name.guard():
        try:
            variables = {name: fluid.dygraph.to_variable(one.value) for name, one in inputs.items()}
            for variable in variables.values():
                variable.stop_gradient = not grads
            outs = flat(eval(text, {**NAMES, **variables}))
            told = {"plain": [plain(v) for v in outs], "values": [held(v.numpy()) for v in outs if hasattr(v, "numpy")]}
            if grads:
                sums([v for v in outs if hasattr(v, "numpy")]).backward()
                gradients = [v.gradient() for v in variables.values()]
                told["values"] += [held(v) for v in gradients if v is not None]
            return told
        except Exception as error:
            return {"raises": kinds(error), "at": "run"}


def run_program(function, arguments):
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        with fluid.scope_guard(fluid.core.Scope()):
            try:
                return {"values": [held(v) for v in flat(function(**arguments))]}
            except Exception as error:
                return {"raises": kinds(error), "at": "run"}


def sums(outs):
    floating = [v for v in outs if "FP" in str(v.dtype)]
    return fluid.layers.sums([fluid.layers.reduce_sum(v) for v in floating])


def fill(program, scope):
    """Parameters start from numbers of their own order: random ones would differ."""
    for i, parameter in enumerate(program.all_parameters()):
        tensor = scope.find_var(parameter.name).get_tensor()
        size = int(np.prod(tensor.shape()))
        value = (0.05 + 0.3 * np.cos(np.arange(size) * 0.9 + i)).reshape(tensor.shape())
        tensor.set(value.astype(np.array(tensor).dtype), fluid.CPUPlace())


def flat(value):
    if isinstance(value, dict):
        return [one for key in value for one in flat(value[key])]
    if isinstance(value, (list, tuple)):
        return [one for part in value for one in flat(part)]
    return [value]


def declared(var):
    told = {"name": var.name, "type": str(var.type).split(".")[-1], "stop_gradient": bool(var.stop_gradient)}
    if told["type"] == "LOD_TENSOR":
        told.update(shape=list(var.shape), dtype=str(var.dtype).split(".")[-1], lod_level=var.lod_level)
    return told


def plain(value):
    """A Python value as it is; anything else by the name of its kind."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return float("%.6g" % value)
    if isinstance(value, np.ndarray):
        return held(value)
    kind = type(value).__name__
    return "Variable" if kind in ("Parameter", "VarBase", "ParamBase") else kind


def held(value):
    """A value: dtype, shape, LoD and numbers; of many numbers the first ones and two sums."""
    if hasattr(value, "recursive_sequence_lengths"):
        lengths = value.recursive_sequence_lengths()
        return dict(held(np.array(value)), **({"lengths": lengths} if lengths else {}))
    if isinstance(value, np.ndarray) or (np.isscalar(value) and isinstance(value, np.generic)):
        value = np.asarray(value)
        told = {"dtype": str(value.dtype), "shape": list(value.shape)}
        numbers = value.ravel().tolist()
        if len(numbers) > KEPT:
            told["sums"] = [
                number(float(np.sum(value, dtype="float64"))),
                number(float(np.abs(value).sum(dtype="float64"))),
            ]
        told["data"] = [number(v) for v in numbers[:KEPT]]
        return told
    return plain(value)


def number(value):
    return float("%.6g" % value) if isinstance(value, float) else value


def kinds(error):
    """The name of the exception's class and of the classes it is made of."""
    return [kind.__name__ for kind in type(error).__mro__ if kind not in (BaseException, object)]
