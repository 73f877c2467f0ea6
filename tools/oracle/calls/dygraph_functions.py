"""fluid.dygraph without its layer classes: variables, gradients, containers, schedules, states and their files."""

import os
import tempfile

from calls.table import Table, fluid, np

calls = Table()
D, L = fluid.dygraph, fluid.layers


def here(text, **names):
    """What an expression gives inside the imperative mode; `;` separates statements that come before it."""
    with D.guard(), tempfile.TemporaryDirectory() as folder:
        x = D.to_variable(np.array([[1, 2], [3, 4]], "float32"))
        x.stop_gradient = False
        space = {"fluid": fluid, "D": D, "L": L, "np": np, "x": x, "v": x.numpy() * 0 + 2, "os": os, "folder": folder}
        space.update(net=Net(), path=os.path.join(folder, "model"), W=fluid.initializer.Constant(0.5))
        space.update(ids=D.to_variable(np.array([1, 2])), one=D.to_variable(np.array([1.0], "float32")))
        space.update(adam=lambda parameters: fluid.optimizer.Adam(0.1, parameter_list=parameters))
        space["saved"] = lambda *parts: [D.save_dygraph(part.state_dict(), space["path"]) for part in parts]
        *before, last = text.split("; ")
        for statement in before:
            exec(statement, space)
        result = eval(last, space)
        return [value.numpy() if hasattr(value, "numpy") else value for value in flat(result)]


def flat(value):
    if isinstance(value, dict):
        return [one for key in value for one in [key, *flat(value[key])]]
    return [one for part in value for one in flat(part)] if isinstance(value, (list, tuple)) else [value]


class Net(D.Layer):
    def __init__(self):
        super(Net, self).__init__()
        self.first = D.Linear(2, 3, fluid.initializer.Constant(0.5))
        self.second = D.Linear(3, 1, fluid.initializer.Constant(0.25))

    def forward(self, x):
        return self.second(self.first(x))


MORE = "Refluid computes more than 1.8.5: "
STEP = "o = adam(net.parameters()); l = net(x); l.backward(); o.minimize(l); "
ARRAYS = MORE + "numbers and lists become variables too"
DIFFERS = {
    "D.to_variable(v[0, 0])": ARRAYS,
    "D.to_variable(np.float32(3))": ARRAYS,
    "D.to_variable(3)": ARRAYS,
    "D.to_variable(3.0)": ARRAYS,
    "D.to_variable([1.0, 2.0])": ARRAYS,
    "D.to_variable((1, 2))": ARRAYS,
    "x.astype(fluid.core.VarDesc.VarType.INT64)": MORE + "any name of a dtype",
    "x + v": MORE + "an array on either side",
    "x[..., 0]": MORE + "an ellipsis",
    "D.Layer(3)": MORE + "a name scope may be anything that prints",
    "D.LayerList([D.Linear(2, 3, W)])[-1](x)": MORE + "a negative index",
    "s = D.ReduceLROnPlateau(0.1); s.step(1.0)": MORE + "a loss that is a number",
    STEP + "saved(net, o); sorted(D.load_dygraph(path)[1])": "1.8.5 leaves its table of names in it",
}


def each(texts):
    for text in texts.strip().splitlines():
        calls.program(here, differs=DIFFERS.get(text.strip()), text=text.strip())


# -- to_variable and what a variable can do
each("""
    D.to_variable(v)
    D.to_variable(v, name='own').name
    D.to_variable(v.astype('float64')).numpy().dtype.name
    D.to_variable(v.astype('int64'))
    D.to_variable(v.astype('bool'))
    D.to_variable(v.astype('uint8'))
    D.to_variable(v.astype('float16'))
    D.to_variable(v[0, 0])
    D.to_variable(np.float32(3))
    D.to_variable(3)
    D.to_variable(3.0)
    D.to_variable([1.0, 2.0])
    D.to_variable((1, 2))
    D.to_variable('text')
    D.to_variable(None)
    D.to_variable(np.array(['a']))
    D.to_variable(np.array([]))
    D.to_variable(x) is x
    D.to_variable(v, zero_copy=True)
    D.to_variable(v.T)
    D.to_variable(v[:, ::2])
    D.to_variable(v).stop_gradient
    D.to_variable(v).persistable
    x.shape
    str(x.dtype)
    str(x.type)
    x.name.startswith('generated_var')
    x.astype('int32')
    x.astype('nothing')
    x.astype(np.float64).numpy().dtype.name
    x.astype(fluid.core.VarDesc.VarType.INT64)
    x.detach().stop_gradient
    x.detach().gradient()
    x.set_value(v); x
    x.set_value(v.astype('float64'))
    x.set_value(v[0])
    x.set_value([[1.0, 1.0], [1.0, 1.0]])
    x.set_value(None)
    x.set_value(D.to_variable(v)); x
    x.gradient()
    x.clear_gradient()
    x.block.program is fluid.default_main_program()
    len(x)
    len(D.to_variable(np.zeros((0, 2), 'float32')))
    float(x)
    float(x[0, 0])
    int(x[0, 1])
    bool(x[0, 1])
    bool(x)
    [0, 1, 2][x[0, 0]]
    hash(x) == hash(x)
    x == x
    x != 2.0
    x < 2.5
    x >= D.to_variable(v)
    x + 1
    1 + x
    x - 1
    1 - x
    x * 2
    x / 2
    2 / x
    x ** 2
    2 ** x
    x // 2
    x % 2
    -x
    abs(x)
    x + 1.5
    x + True
    x + None
    x + 'a'
    x + [1.0, 2.0]
    x + v
    v + x
    v * x
    x + D.to_variable(v[0])
    x + D.to_variable(v[:, :1])
    D.to_variable(v[0]) + x
    D.to_variable(v.astype('int64')) + 1
    D.to_variable(v.astype('int64')) + 1.5
    D.to_variable(v.astype('int64')) / 2
    D.to_variable(v.astype('int64')) * 0.5
    x[0]
    x[0, 1]
    x[-1]
    x[2]
    x[:, 0]
    x[0:1]
    x[::2]
    x[::-1]
    x[..., 0]
    x[None]
    x[[0, 1]]
    x[x > 1]
    x['a']
    x[0.0]
    [row.numpy() for row in x]
    x.value().get_tensor().shape()
    np.array(x.value().get_tensor())
    x.value().get_tensor().set(v, fluid.CPUPlace()); x
    x._copy_to(fluid.CPUPlace(), True)
    x._grad_ivar() is None
    x._grad_name()[-5:]
    x.to_string(True)[-44:]
    str(D.to_variable(v, name='own'))
    x.persistable
    x.stop_gradient
    x.nothing
    x.numpy()
    x.numpy() is x.numpy()
    y = x.numpy(); y[0] = 9; x
""")

# -- gradients
each("""
    L.reduce_sum(x * x).backward(); x.gradient()
    y = x * x; y.backward(); [x.gradient(), y.gradient()]
    x.backward(); x.gradient()
    y = L.reduce_sum(x * x); y.backward(); y.backward(); x.gradient()
    y = L.reduce_sum(x * x); y.backward(retain_graph=True); y.backward(); x.gradient()
    y = x * x; L.reduce_sum(y).backward(); L.reduce_sum(y * 2).backward(); x.gradient()
    L.reduce_sum(x * x).backward(); L.reduce_sum(x * 3).backward(); x.gradient()
    y = L.reduce_sum(x * x); y.stop_gradient = True; y.backward(); [x.gradient(), y.gradient()]
    y = x * x; y.stop_gradient = True; L.reduce_sum(y * x).backward(); [x.gradient(), y.gradient()]
    y = x.detach(); L.reduce_sum(y * x).backward(); [x.gradient(), y.gradient()]
    a, b = L.split(x, 2, dim=1); L.reduce_sum(a).backward(); [x.gradient(), b.gradient()]
    L.reduce_sum(x * x).backward(); x.clear_gradient(); x.gradient()
    t = D.Embedding([4, 2], is_sparse=True); L.reduce_sum(t(ids)).backward(); t.weight.gradient()
    t = D.Embedding([4, 2], is_sparse=True); L.reduce_sum(t(ids)).backward(); t.clear_gradients(); t.weight.gradient()
    s = D.BackwardStrategy(); s.sort_sum_gradient = True; L.reduce_sum(x * x).backward(s); x.gradient()
    L.reduce_sum(x * x).backward(3)
    L.reduce_sum(x * x).backward('a')
    D.grad(L.reduce_sum(x * x), x)
    D.grad(L.reduce_sum(x * x), [x])[0].name == x.name + '@GRAD'
    D.grad(x * x, x, create_graph=True)[0].stop_gradient
    D.grad(x * 3, x, create_graph=True)[0].stop_gradient
    D.grad(x * x, x)[0].stop_gradient
    D.grad(D.grad(x * x * x, x, create_graph=True)[0], x)
    D.grad(x * x, x, grad_outputs=D.to_variable(v))
    D.grad(x * x, x, grad_outputs=[None])
    D.grad(x * x, x, grad_outputs=[])
    D.grad([x * x, x * 2], x)
    D.grad([x * x, x * 2], x, grad_outputs=[D.to_variable(v), None])
    D.grad(x * x, D.to_variable(v))
    D.grad(x * x, x * 1)
    D.grad(x * x, x * 1, allow_unused=True)
    D.grad(x * x, x, no_grad_vars=[])
    y = x * 2; D.grad(y * x, x, no_grad_vars=[y])
    D.grad(x * x, x, only_inputs=False)
    D.grad(3, x)
    D.grad(x * x, 3)
    D.grad(x * x, [])
    D.grad([], x)
    y = x * x; D.grad(y, x); D.grad(y, x)
    y = x * x; D.grad(y, x, retain_graph=True); D.grad(y, x)
    y = x * x; D.grad(y, x)[0]; x.gradient()
    f = D.no_grad(lambda a: a * 2); f(x).stop_gradient
    f = D.no_grad()(lambda a: a * 2); f(x).stop_gradient
    n = D.no_grad(); n.__enter__(); y = x * 2; n.__exit__(None, None, None); [y.stop_gradient, (x * 2).stop_gradient]
    D.no_grad(3)
    D.enabled()
    fluid.in_dygraph_mode()
    net.eval(); [net.training, net(x).stop_gradient, net.train(), net.training, net(x).stop_gradient]
""")

# -- layers as objects
each("""
    [p.name for p in net.parameters()]
    [n for n, p in net.named_parameters()]
    [n for n, p in net.named_parameters(prefix='a')]
    [n for n, p in net.named_parameters(include_sublayers=False)]
    [n for n, l in net.named_sublayers()]
    [n for n, l in net.named_sublayers(prefix='a', include_self=True)]
    [n for n, l in net.named_sublayers(include_sublayers=False)]
    len(net.sublayers())
    len(net.sublayers(include_sublayers=False))
    net.full_name()
    D.Layer('scope').full_name()
    D.Layer().full_name()
    D.Layer(3)
    D.Layer()(x)
    net.nothing
    net(x)
    net(x, x)
    net()
    net.first = None; net.first
    net.first = 3
    net.first = D.Linear(2, 3, W); net(x)
    net.own = x; net.own is x
    net.first.weight = None; net.first.weight
    net.first.weight = 3
    net.first.weight = x
    del net.first; hasattr(net, 'first')
    del net.nothing
    net.add_sublayer('third', D.Linear(1, 1, W)); [n for n, l in net.named_sublayers()]
    net.add_sublayer('third', 3)
    net.add_sublayer(3, D.Linear(1, 1, W))
    net.add_parameter('w', net.first.weight); [n for n, p in net.named_parameters()]
    net.add_parameter('w', 3)
    net.add_parameter('w', None)
    net.create_parameter([2, 2], default_initializer=W)
    net.create_parameter([2, 2], attr='own').name
    net.create_parameter([2, 2], attr=False)
    net.create_parameter([2, 2], is_bias=True)
    net.create_parameter([2, 2], dtype='float64', default_initializer=W)
    net.create_parameter([2, 0])
    net.create_parameter('a')
    net.create_parameter([2, 2]).name
    net.create_parameter([-1, 2])
    net.create_variable('v').name
    net.create_variable().persistable
    net.create_variable('v', persistable=True).persistable
    sorted(net.state_dict())
    list(net.state_dict(include_sublayers=False))
    sorted(net.state_dict(destination={'a': 1}))
    net.set_dict(net.state_dict())
    net.set_dict({})
    net.set_dict(3)
    net.set_dict(dict(net.state_dict(), more=v)); net(x)
    net.set_dict({k: p.numpy() * 0 + 1 for k, p in net.state_dict().items()}); net(x)
    net.set_dict({p.name: p.numpy() * 0 + 1 for p in net.parameters()}, use_structured_name=False); net(x)
    net.set_dict({k: v for k in net.state_dict()})
    net.load_dict(net.state_dict())
    L.reduce_sum(net(x)).backward(); net.clear_gradients(); net.first.weight.gradient()
    h = net.register_forward_pre_hook(lambda l, i: (i[0] * 0,)); a = net(x); h.remove(); [a, net(x)]
    h = net.register_forward_post_hook(lambda l, i, o: o * 0); a = net(x); h.remove(); [a, net(x)]
    h = net.register_forward_pre_hook(lambda l, i: i[0] * 0); net(x)
    h = net.register_forward_post_hook(lambda l, i, o: None); net(x)
    net.backward(x)
    net._helper.main_program is fluid.default_main_program()
    net.first._act
    net.first._dtype
    net._full_name
    net._built
    net.training
    net.first.weight.trainable
    net.first.weight.trainable = False; net.first.weight.stop_gradient
    net.first.weight.trainable = 3
    net.first.weight.optimize_attr
    net.first.weight.regularizer
    net.first.weight.do_model_average
    net.first.weight.is_distributed
    net.first.weight.persistable
    type(net.first.weight).__name__
""")
each("""
    D.Sequential(D.Linear(2, 3, W), D.Linear(3, 1, W))(x)
    D.Sequential(('a', D.Linear(2, 3, W)), ('b', D.Linear(3, 1, W)))(x)
    [n for n, l in D.Sequential(('a', D.Linear(2, 3)), ('b', D.Linear(3, 1))).named_sublayers()]
    D.Sequential()(x)
    D.Sequential(3)
    D.Sequential(D.Linear(2, 3, W))[0](x)
    D.Sequential(D.Linear(2, 3, W))[1]
    len(D.Sequential(D.Linear(2, 3, W), D.Linear(3, 1, W)))
    s = D.Sequential(D.Linear(2, 3, W)); s[0] = D.Linear(2, 1, W); s(x)
    s = D.Sequential(('a', D.Linear(2, 3, W))); s['a'](x)
    s = D.Sequential(D.Linear(2, 3, W)); del s[0]; len(s)
    s = D.Sequential(D.Linear(2, 3, W)); s.add_sublayer('b', D.Linear(3, 1, W)); s(x)
    len(D.LayerList([D.Linear(2, 3), D.Linear(3, 1)]))
    len(D.LayerList())
    D.LayerList([3])
    D.LayerList([D.Linear(2, 3, W)])[0](x)
    D.LayerList([D.Linear(2, 3, W)])[-1](x)
    D.LayerList([D.Linear(2, 3, W)])[1]
    l = D.LayerList([D.Linear(2, 3)]); l.append(D.Linear(3, 1)); len(l)
    l = D.LayerList([D.Linear(2, 3)]); l.insert(0, D.Linear(3, 1)); [m.weight.shape for m in l]
    l = D.LayerList([D.Linear(2, 3)]); l.insert(5, D.Linear(3, 1))
    l = D.LayerList([D.Linear(2, 3)]); l.extend([D.Linear(3, 1)]); len(l)
    l = D.LayerList([D.Linear(2, 3)]); l.append(3)
    len(D.ParameterList([net.first.weight, net.second.weight]))
    D.ParameterList([net.first.weight])[0].name
    D.ParameterList([3])
    p = D.ParameterList([net.first.weight]); p.append(net.second.weight); len(p)
    p = D.ParameterList([net.first.weight]); p[0] = net.second.weight; p[0].name
""")

# -- schedules
RATES = "s = D.%s; [s().numpy() for _ in range(5)]"
for schedule in (
    "PiecewiseDecay([2, 4], [0.1, 0.2, 0.3], 0)", "PiecewiseDecay([2, 4], [0.1, 0.2, 0.3], begin=1, step=2)",
    "PiecewiseDecay([2], [0.1], 0)", "NaturalExpDecay(0.1, 2, 0.5)", "NaturalExpDecay(0.1, 2, 0.5, staircase=True)",
    "ExponentialDecay(0.1, 2, 0.5)", "ExponentialDecay(0.1, 2, 0.5, True)", "ExponentialDecay(0.1, 0, 0.5)",
    "InverseTimeDecay(0.1, 2, 0.5)", "InverseTimeDecay(0.1, 2, 0.5, True)", "PolynomialDecay(0.1, 4)",
    "PolynomialDecay(0.1, 4, 0.01, 2.0, cycle=True)", "CosineDecay(0.1, 2, 4)", "NoamDecay(64, 3)",
    "NoamDecay(64, 3, learning_rate=2.0)", "NoamDecay(0, 3)", "LinearLrWarmup(0.1, 3, 0.0, 0.1)",
    "LinearLrWarmup(D.NoamDecay(64, 3), 3, 0.0, 0.1)", "LinearLrWarmup(0.1, 3, 0.2, 0.1)",
    "LinearLrWarmup('0.1', 3, 0.0, 0.1)", "StepDecay(0.1, 2)", "StepDecay(0.1, 2, 0.5)", "StepDecay('0.1', 2)",
    "StepDecay(0.1, 0)", "StepDecay(0.1, 2, 1.5)", "MultiStepDecay(0.1, [2, 4])", "MultiStepDecay(0.1, [4, 2])",
    "MultiStepDecay(0.1, 2)", "MultiStepDecay(0.1, [2], 1.5)", "LambdaDecay(0.1, lambda n: 0.5 ** n)",
    "LambdaDecay(0.1, 3)", "ReduceLROnPlateau(0.1, patience=1)", "ReduceLROnPlateau(0.1, mode='nothing')",
    "ReduceLROnPlateau(0.1, decay_rate=1.5)", "ReduceLROnPlateau('0.1')", "ReduceLROnPlateau(0.1, threshold_mode='a')",
):  # fmt: skip
    calls.program(here, text=RATES % schedule)
each("""
    s = D.StepDecay(0.1, 2); [(s.epoch(), s().numpy())[1] for _ in range(5)]
    s = D.StepDecay(0.1, 2); s.epoch(3); s()
    s = D.MultiStepDecay(0.1, [2, 3]); [(s.epoch(), s().numpy())[1] for _ in range(5)]
    s = D.LambdaDecay(0.1, lambda n: 0.5 ** n); [(s.epoch(), s().numpy())[1] for _ in range(3)]
    s = D.ReduceLROnPlateau(0.1, patience=1); [(s.step(one), s().numpy())[1] for _ in range(5)]
    s = D.ReduceLROnPlateau(0.1); s.step(1.0)
    s = D.NoamDecay(64, 3); s(); s.state_dict()
    s = D.NoamDecay(64, 3); s.set_dict({'step_num': 5}); s.step_num
    s = D.NoamDecay(64, 3); s.set_dict({}); s.step_num
    s = D.StepDecay(0.1, 2); s.epoch(); sorted(s.state_dict())
    s = D.ReduceLROnPlateau(0.1); sorted(s.state_dict())
""")

# -- files
each(
    """
    D.save_dygraph(net.state_dict(), path); sorted(os.listdir(folder))
    D.save_dygraph({}, path)
    D.save_dygraph(3, path)
    D.save_dygraph(net.state_dict(), folder + '/')
    D.save_dygraph(net.state_dict(), folder + '/sub/model'); os.listdir(folder + '/sub')
    D.save_dygraph(net.state_dict(), path); [sorted(D.load_dygraph(path)[0]), D.load_dygraph(path)[1]]
    D.save_dygraph(net.state_dict(), path); sorted(D.load_dygraph(path, keep_name_table=True)[0])
    D.save_dygraph(net.state_dict(), path); sorted(D.load_dygraph(path + '.pdparams')[0])
    D.save_dygraph(net.state_dict(), path); type(D.load_dygraph(path)[0]['first.weight']).__name__
    D.load_dygraph(path)
    D.load_dygraph(3)
    o = adam(net.parameters()); D.save_dygraph(net.state_dict(), path); D.save_dygraph(o.state_dict(), path)
    o = adam(net.parameters()); l = net(x); l.backward(); o.minimize(l); saved(net, o); sorted(D.load_dygraph(path)[1])
    D.save_dygraph(net.state_dict(), path); n = Net(); n.set_dict(D.load_dygraph(path)[0]); n(x)
""".replace("Net()", "type(net)()")
)
