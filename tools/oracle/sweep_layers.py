"""Layer classes of fluid.dygraph in some nine hundred settings, Fluid 1.8.5 beside Refluid.

    python tools/oracle/sweep_layers.py write FILE     under 1.8.5: what it does
    python tools/oracle/sweep_layers.py check FILE     under Refluid: where it does something else

What 1.8.5 refuses is not compared. KNOWN says where a difference is meant, and why.
"""

import itertools
import pickle
import sys

import numpy as np

import paddle.fluid as fluid

D = fluid.dygraph
P = fluid.ParamAttr

KNOWN = {
    "Conv3DTranspose": "1.8.5 adds no bias unless bias_attr is given",
    "GroupNorm": "1.8.5 reads 4 axes whatever there are; its gradient without a gain is not the slope",
    "SpectralNorm": "the gradient of 1.8.5 is not the slope; weight_u and weight_v count as trainable there",
    "TreeConv": "the gradient of the nodes is not the slope in 1.8.5",
    "GRUUnit": "1.8.5 forgets origin_mode in the imperative mode; hidden outputs are not stopped there",
    "Dropout": "random",
    "trainable=False": "1.8.5 computes gradients of parameters that are not trained",
}


def fixed(shape, seed, dtype="float32"):
    size = int(np.prod(shape))
    return (0.1 + 0.8 * np.sin(np.arange(size) * 1.7 + seed)).reshape(shape).astype(dtype)


def every(text, inputs, **choices):
    """The text with every mixture of the choices filled in, for every list of inputs."""
    for values in itertools.product(*choices.values()):
        for given in inputs:
            yield text.format(**dict(zip(choices, values))), given


def ids(*values):
    return np.array(values, dtype="int64")


BIAS = ["None", "False", "P('b')"]
TREES = np.array([[[1, 2], [1, 3], [3, 4]], [[1, 2], [1, 3], [1, 4]]], "int32")
IMAGES = [[(3, 4, 2, 2)], [(5, 4)], [(2, 4, 3)], [(1, 4, 1, 1)], [(2, 4, 2, 1, 2)]]


def convolutions():
    yield from every("D.Conv2D(2, 4, {f}, {s}, {p}, {d})", [[(2, 2, 7, 6)]], f=[3, (3, 2)], s=[1, (2, 1)],
                     p=[0, (1, 2)], d=[1, (1, 2)])  # fmt: skip
    yield from every("D.Conv2D(4, 8, 3, groups={g}, bias_attr={b}, act={a!r}, use_cudnn={c})", [[(1, 4, 5, 5)]],
                     g=[None, 2, 4], b=BIAS, a=[None, "relu", "softmax"], c=[True, False])  # fmt: skip
    yield from every("D.Conv3D(4, 4, {f}, {s}, {p}, {d}, {g}, bias_attr={b})", [[(1, 4, 5, 5, 4)]], f=[2, (2, 3, 1)],
                     s=[1, (1, 2, 1)], p=[0, (1, 0, 1)], d=[1, 2], g=[None, 2], b=BIAS)  # fmt: skip
    yield from every("D.Conv2DTranspose(2, 3, {f}, {o}, {p}, {s}, {d})", [[(1, 2, 4, 5)]], f=[3, (2, 3)],
                     o=[None, 9, (9, 10)], p=[0, 1, (1, 0)], s=[1, 2], d=[1, 2])  # fmt: skip
    yield from every("D.Conv2DTranspose(4, 4, 3, groups={g}, bias_attr={b}, act={a!r}, use_cudnn={c})",
                     [[(1, 4, 3, 4)]], g=[None, 2, 4], b=BIAS, a=[None, "relu"], c=[True, False])  # fmt: skip
    yield from every("D.Conv3DTranspose(2, 2, 2, {p}, {s}, groups={g}, bias_attr={b})", [[(1, 2, 2, 3, 2)]],
                     p=[0, 1, (1, 0, 1)], s=[1, 2], g=[None, 2], b=BIAS)  # fmt: skip
    yield from every("D.Pool2D({f}, {t!r}, {s}, {p}, {g}, True, {c}, {e})", [[(1, 2, 6, 5)]], f=[2, (3, 2), -1],
                     t=["max", "avg"], s=[1, (2, 1)], p=[0, (1, 0)], g=[False, True], c=[False, True],
                     e=[True, False])  # fmt: skip


def norms():
    yield from every("D.BatchNorm(4, {a!r}, {t}, trainable_statistics={s})", IMAGES, a=[None, "relu"],
                     t=[False, True], s=[False, True])  # fmt: skip
    yield from every("D.BatchNorm(4, data_layout='NHWC', param_attr={p})", [[(3, 2, 2, 4)], [(2, 3, 4)], [(3, 4)]],
                     p=["None", "P(trainable=False)"])  # fmt: skip
    yield from every("D.LayerNorm({n}, {c}, {s}, act={a!r})", [[(3, 2, 4)]], n=[4, [2, 4]], c=[True, False],
                     s=[True, False], a=[None, "relu"])  # fmt: skip
    yield from every("D.InstanceNorm(3, 1e-4, {p})", [[(2, 3, 2, 2)], [(2, 3, 4)], [(2, 3)], [(2, 3, 2, 2, 2)]],
                     p=["None", "P('s')"])  # fmt: skip
    yield from every("D.GroupNorm(4, {g}, param_attr={p}, bias_attr={b}, act={a!r})", [[(2, 4, 3, 2)]], g=[1, 2, 4],
                     p=["None", "P()", "False"], b=["None", "P()"], a=[None, "relu"])  # fmt: skip
    for shape in [(3, 2), (3, 2, 2), (2, 3, 2, 2)]:
        yield from every("D.SpectralNorm({n}, {d}, {i}, {e})", [[shape]], n=[shape], d=[0, 1], i=[0, 1, 5],
                         e=[1e-12, 1e-2])  # fmt: skip


def others():
    acts = [None, "relu", "tanh", "sigmoid", "softmax", "leaky_relu", "square", "gelu", "elu", "swish", "hard_swish"]
    shapes = [[(2, 4)], [(3, 2, 4)], [(1, 4)], [(2, 1, 2, 4)]]
    yield from every("D.Linear(4, 3, bias_attr={b}, act={a!r})", shapes, b=BIAS, a=acts)
    yield from every("D.GRUUnit(9, activation={a!r}, gate_activation={g!r}, origin_mode={o}, bias_attr={b})",
                     [[(2, 9), (2, 3)]], a=["tanh", "relu", "identity"], g=["sigmoid", "tanh"], o=[False, True],
                     b=BIAS)  # fmt: skip
    yield from every("D.BilinearTensorProduct(3, 2, 4, {n!r}, {a!r}, bias_attr={b})", [[(2, 3), (2, 2)]],
                     n=[None, "n"], a=[None, "tanh"], b=BIAS)  # fmt: skip
    yield from every("D.TreeConv(2, 3, 1, {m}, {a!r}, bias_attr={b})", [[(2, 4, 2), TREES]], m=[2, 3, 8],
                     a=["tanh", None], b=BIAS)  # fmt: skip
    yield from every("D.Embedding([5, 3], {s}, padding_idx={p})", [[ids(1, 2, 2)], [ids([1, 4], [0, 2])], [ids([3])]],
                     s=[False, True], p=[None, -1, 0, 2])  # fmt: skip
    for shape in [(2, 3, 2, 2), (2, 3), (2, 3, 4)]:
        yield from every("D.PRelu({m}, param_attr={p})", [[shape]], p=["None", "P('w')"],
                         m=["'all'", "'channel', 3", "'element', None, %r" % (shape,)])  # fmt: skip
        yield from every("D.{c}Loss(reduction={r!r})", [[shape, np.abs(fixed(shape, 4))]], c=["L1", "MSE"],
                         r=["mean", "sum", "none"])  # fmt: skip
    yield from every("D.NLLLoss({w}, {r!r}, {i})",
                     [[(4, 3), ids(1, 2, 0, 1)], [(1, 3, 2, 2), ids([[1, 2], [0, 1]])]],
                     w=["None", "D.to_variable(np.array([.2, .3, .5], 'float32'))"], r=["mean", "sum", "none"],
                     i=[-100, 1])  # fmt: skip
    yield from every("D.Dropout({p}, None, {i!r})", [[(3, 4)]], p=[0.0, 0.5, 1.0],
                     i=["downgrade_in_infer", "upscale_in_train"])  # fmt: skip


def run(text, inputs):
    """Names, state, results and gradients of one layer, in training and then in evaluation."""
    with D.guard(), fluid.unique_name.guard():
        layer = eval(text)
        state = layer.state_dict()
        told = {
            "full_name": layer.full_name(),
            "state": [(key, v.name, list(v.shape), v.stop_gradient) for key, v in state.items()],
        }
        constant = {key: v.numpy() for key, v in state.items() if v.numpy().size > 1 and np.ptp(v.numpy()) == 0}
        told["begins"] = {key: float(value.flat[0]) for key, value in constant.items()}
        for i, (key, value) in enumerate(state.items()):
            value.set_value(np.abs(fixed(value.shape, i)) + 0.5 if "var" in key else fixed(value.shape, i))
        variables = []
        for i, spec in enumerate(inputs):
            var = D.to_variable(fixed(spec, 10 + i) if isinstance(spec, tuple) else spec)
            var.stop_gradient = not isinstance(spec, tuple)
            variables.append(var)
        outs = layer(*variables)
        outs = list(outs) if isinstance(outs, (list, tuple)) else [outs]
        told["outs"] = [out.numpy() for out in outs]
        told["stopped"] = [out.stop_gradient for out in outs]
        fluid.layers.reduce_sum(outs[0] * D.to_variable(fixed(outs[0].shape, 20))).backward()
        told["grads"] = [var.gradient() for var in variables if not var.stop_gradient]
        told["parameter grads"] = [value.gradient() for value in state.values() if not value.stop_gradient]
        told["state after"] = [value.numpy() for value in state.values()]
        layer.eval()
        out = layer(*variables)
        told["evaluated"] = (out[0] if isinstance(out, (list, tuple)) else out).numpy()
        return told


def results():
    for text, inputs in itertools.chain(convolutions(), norms(), others()):
        try:
            outcome = run(text, inputs)
        except Exception as error:
            outcome = str(error).strip().splitlines()[-1:] or [type(error).__name__]
        yield "%s of %s" % (text, [value if isinstance(value, tuple) else value.shape for value in inputs]), outcome


def differences(expected, found):
    """The names of what differs."""
    for key, value in expected.items():
        if not alike(value, found[key]):
            yield key


def alike(a, b):
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(alike(x, y) for x, y in zip(a, b))
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.shape == b.shape and a.dtype == b.dtype and np.allclose(a, b, 2e-4, 2e-5, equal_nan=True)
    return type(a) is type(b) and a == b


def main(what, path):
    if what == "write":
        with open(path, "wb") as file:
            pickle.dump(list(results()), file, protocol=4)
        return
    with open(path, "rb") as file:
        recorded = dict(pickle.load(file))
    counts = {"alike": 0, "known": 0, "refused by 1.8.5": 0, "different": 0}
    for name, outcome in results():
        expected = recorded[name]
        if isinstance(expected, list):
            counts["refused by 1.8.5"] += 1
            continue
        wrong = [outcome[0]] if isinstance(outcome, list) else list(differences(expected, outcome))
        known = any(word in name for word in KNOWN) and isinstance(outcome, dict)
        counts["alike" if not wrong else "known" if known else "different"] += 1
        if wrong and not known:
            print(name, ":", ", ".join(wrong))
    print(counts)


if __name__ == "__main__":
    main(*sys.argv[1:])
