"""fluid.optimizer, fluid.regularizer, fluid.clip and fluid.initializer: what their calls do to a small program."""

from calls.table import Table, floats, fluid, np

calls = Table()
O = "fluid.optimizer."
LOSS = "L.mean(L.fc(x, 3, param_attr=fluid.initializer.Constant(0.5)))"
MORE = "Refluid computes more than 1.8.5: "
BOTH = MORE + "in both modes"
DIFFERS = {
    "SGD(1)": MORE + "a learning rate may be any number",
    "SGD(np.float32(0.1))": MORE + "a learning rate may be any number",
    "Momentum(0.1, '0.9')": "both refuse it, Refluid when it runs",
    "Adagrad(0.1, None)": MORE + "None stands for the default",
    "Adam(0.1, epsilon=None)": MORE + "None stands for the default",
    "DecayedAdagrad(0.1, decay=None)": MORE + "None stands for the default",
    "RMSProp(0.1, rho=None)": MORE + "None stands for the default",
    "Adadelta(0.1, epsilon=None)": MORE + "None stands for the default",
    "SGD(0.1).state_dict()": BOTH,
    "SGD(0.1).set_dict({})": BOTH,
    "SGD(0.1).current_step_lr()": BOTH,
    "SGD(0.1).clear_gradients()": BOTH,
    "regularizer=fluid.regularizer.L2Decay('0.1')": MORE + "a number may be a text",
    "gradient_clip=fluid.clip.GradientClipByNorm(0.1)": MORE + "ParamAttr(gradient_clip=) of 1.4 to 1.7",
    "Uniform(0.5, 0.5)": MORE + "an interval of one number",
    "Normal('0', 1.0)": MORE + "a number may be a text",
    "Uniform(seed='x')": "both refuse it, Refluid when it runs",
    "force_init_on_cpu()": MORE + "a name of 1.5",
    "init_on_cpu()": MORE + "a name of 1.5",
}


def minimised(optimizer, more=""):
    text = "%s%s.minimize(%s%s)" % (O, optimizer, LOSS, more)
    calls.static(text, differs=DIFFERS.get(optimizer), x=floats(2, 4))


# -- every optimizer, as usual and oddly
for optimizer in (
    "SGD(0.1)", "SGD(learning_rate=0.1)", "SGD(1)", "SGD('0.1')", "SGD(None)", "SGD()", "SGD(0.0)", "SGD(-0.1)",
    "SGD(np.float32(0.1))", "SGD([0.1])", "SGD(0.1, parameter_list=['fc_0.w_0'])", "SGD(0.1, parameter_list=[])",
    "SGD(0.1, regularization=fluid.regularizer.L2Decay(0.1))", "SGD(0.1, regularization=0.1)",
    "SGD(0.1, regularization='l2')", "SGD(0.1, grad_clip=fluid.clip.GradientClipByValue(0.1))",
    "SGD(0.1, grad_clip=fluid.clip.GradientClipByNorm(0.1))", "SGD(0.1, grad_clip=3)", "SGD(0.1, grad_clip='norm')",
    "SGD(0.1, grad_clip=fluid.clip.GradientClipByGlobalNorm(0.1))", "SGD(0.1, name='own')", "SGD(0.1, nothing=1)",
    "SGD(L.fill_constant([1], 'float32', 0.1))", "SGD(L.exponential_decay(0.1, 10, 0.5))", "SGD(L.noam_decay(64, 10))",
    "SGD(L.piecewise_decay([2, 4], [0.1, 0.2, 0.3]))", "SGD(L.cosine_decay(0.1, 10, 5))",
    "Momentum(0.1, 0.9)", "Momentum(0.1, 0.9, use_nesterov=True)", "Momentum(0.1)", "Momentum(0.1, None)",
    "Momentum(0.1, '0.9')", "Momentum(0.1, 1.5)", "Momentum(0.1, 0.9, use_nesterov='yes')",
    "Adagrad(0.1)", "Adagrad(0.1, epsilon=0.1)", "Adagrad(0.1, initial_accumulator_value=0.5)", "Adagrad(0.1, None)",
    "Adam()", "Adam(0.1)", "Adam(0.1, 0.8, 0.9)", "Adam(0.1, epsilon=0.1)", "Adam(0.1, lazy_mode=True)",
    "Adam(0.1, beta1=None)", "Adam(0.1, beta1=1.0)", "Adam(0.1, beta1=L.fill_constant([1], 'float32', 0.9))",
    "Adam(0.1, beta1='0.9')", "Adam(0.1, epsilon=None)",
    "Adamax(0.1)", "Adamax(0.1, 0.8, 0.9, 0.1)", "Adamax(0.1, beta1=None)", "Dpsgd(0.1).__class__(0.1)",
    "DecayedAdagrad(0.1)", "DecayedAdagrad(0.1, 0.5, 0.1)", "DecayedAdagrad(0.1, decay=None)", "Ftrl(0.1)",
    "Ftrl(0.1, l1=0.1, l2=0.2, lr_power=-0.7)", "Ftrl(None)", "RMSProp(0.1)", "RMSProp(0.1, 0.5, 0.1, 0.9)",
    "RMSProp(0.1, centered=True)", "RMSProp(0.1, rho=None)", "Adadelta(0.1)", "Adadelta(0.1, 0.1, 0.5)",
    "Adadelta(0.1, epsilon=None)", "LarsMomentum(0.1, 0.9)", "LarsMomentum(0.1, 0.9, 0.01, 0.1)",
    "LarsMomentum(0.1)", "LambOptimizer(0.1)", "LambOptimizer(0.1, 0.5)",
    "LambOptimizer(0.1, exclude_from_weight_decay_fn=lambda p: True)", "LambOptimizer(0.1, lamb_weight_decay=None)",
    "LookaheadOptimizer(fluid.optimizer.SGD(0.1), alpha=0.5, k=5)",
    "LookaheadOptimizer(fluid.optimizer.SGD(0.1), 0.5, 0)",
    "LookaheadOptimizer(fluid.optimizer.SGD(0.1), 1.5, 5)", "LookaheadOptimizer(None)",
    "RecomputeOptimizer(fluid.optimizer.SGD(0.1))",
):  # fmt: skip
    minimised(optimizer)

# -- minimize
for more in (
    ", parameter_list=['fc_0.w_0']", ", parameter_list=[]", ", no_grad_set={'fc_0.b_0'}", ", no_grad_set=['fc_0.b_0']",
    ", no_grad_set={'nothing'}", ", parameter_list=['nothing']", ", startup_program=fluid.default_startup_program()",
    ", parameter_list='fc_0.w_0'", ", no_grad_set='fc_0.b_0'", ", startup_program=3", ", nothing=3",
):  # fmt: skip
    minimised("SGD(0.1)", more=more)
for text in (
    "SGD(0.1).minimize(L.fc(x, 3))", "SGD(0.1).minimize(L.mean(x))", "SGD(0.1).minimize(None)", "SGD(0.1).minimize(3)",
    "SGD(0.1).minimize()", "SGD(0.1).backward(%s)" % LOSS, "SGD(0.1).apply_gradients([])",
    "SGD(0.1).apply_gradients(fluid.backward.append_backward(%s))" % LOSS, "SGD(0.1).apply_gradients(3)",
    "SGD(0.1).apply_gradients([3])", "SGD(0.1).apply_gradients([(3, 4)])", "SGD(0.1).get_opti_var_name_list()",
    "SGD(0.1).state_dict()", "SGD(0.1).set_dict({})", "SGD(0.1).current_step_lr()", "SGD(0.1).clear_gradients()",
    "SGD(0.1)._global_learning_rate()", "SGD(0.1)._learning_rate_map", "SGD(0.1)._create_global_learning_rate()",
    "SGD(0.1)._learning_rate", "SGD(0.1)._name", "SGD(0.1, name='own')._name", "Adam(0.1)._opti_name_list",
    "SGD(0.1).type", "SGD(0.1)._parameter_list", "SGD(0.1).regularization", "SGD(0.1).helper", "SGD(0.1)._dtype",
    "Optimizer(0.1).minimize(%s)" % LOSS, "ModelAverage(0.15)", "ExponentialMovingAverage(0.9)",
    "ModelAverage(0.15, 2, 4)", "ExponentialMovingAverage('0.9')", "PipelineOptimizer(3)",
):  # fmt: skip
    calls.static(O + text, differs=DIFFERS.get(text), x=floats(2, 4))

# -- regularizers, clips and initializers, seen through the parameter that they are given to
for attr in (
    "regularizer=fluid.regularizer.L1Decay(0.1)", "regularizer=fluid.regularizer.L2Decay(0.1)",
    "regularizer=fluid.regularizer.L2Decay()", "regularizer=fluid.regularizer.L2Decay('0.1')",
    "regularizer=fluid.regularizer.L2Decay(None)", "regularizer=0.1", "learning_rate=0.5", "learning_rate='0.5'",
    "learning_rate=0", "trainable=False", "name='own'", "name=3", "do_model_average=True", "nothing=1",
    "gradient_clip=fluid.clip.GradientClipByNorm(0.1)", "learning_rate=-1.0", "initializer=3", "initializer='zeros'",
):  # fmt: skip
    loss = "L.mean(L.fc(x, 3, param_attr=P(%s)))" % attr
    calls.static("fluid.optimizer.SGD(0.1).minimize(%s)" % loss, differs=DIFFERS.get(attr), x=floats(2, 4))
for text in (
    "ParamAttr(name='a').name", "ParamAttr().trainable", "ParamAttr().learning_rate", "ParamAttr('a')", "ParamAttr(3)",
    "WeightNormParamAttr(dim=0).dim", "WeightNormParamAttr(dim='0')", "WeightNormParamAttr().dim",
    "ParamAttr(name=None, initializer=None, learning_rate=1.0, regularizer=None).regularizer",
    "clip.GradientClipByValue(1.0).min", "clip.GradientClipByValue(1.0, -2.0).min",
    "clip.GradientClipByValue(-1.0).min",
    "clip.GradientClipByValue(max=1, min=0).max", "clip.GradientClipByValue('1')", "clip.GradientClipByValue()",
    "clip.GradientClipByValue(1.0, 2.0).min", "clip.ErrorClipByValue(1.0).min",
    "clip.GradientClipByNorm(1.0).clip_norm", "clip.GradientClipByNorm('1')", "clip.GradientClipByNorm(0.0).clip_norm",
    "clip.GradientClipByNorm(-1.0).clip_norm", "clip.GradientClipByNorm()",
    "clip.GradientClipByGlobalNorm(1.0).clip_norm",
    "clip.GradientClipByGlobalNorm(1.0, 'g').group_name", "clip.GradientClipByGlobalNorm('1')",
    "clip.GradientClipByGlobalNorm(1.0, 3)", "clip.GradientClipByGlobalNorm(0.0).clip_norm",
    "clip.GradientClipByValue(1.0).__str__()", "clip.GradientClipByNorm(1.0).__str__()", "clip.set_gradient_clip(3)",
    "clip.GradientClipByGlobalNorm(1.0).__str__()", "regularizer.L2Decay(0.1).__str__()",
    "regularizer.L1Decay(0.1).__str__()", "regularizer.L2Decay(0.1)._regularization_coeff",
    "regularizer.L2DecayRegularizer(0.1).__str__()", "clip.set_gradient_clip(fluid.clip.GradientClipByNorm(1.0))",
    "clip.GradientClipByGlobalNorm(1.0)([])", "clip.GradientClipByNorm(1.0)([])", "clip.GradientClipByValue(1.0)([])",
):  # fmt: skip
    calls.static("fluid." + text, differs=DIFFERS.get(text))
for initializer in (
    "Constant(0.5)", "Constant()", "Constant(1)", "Constant('1')", "Constant(None)", "Constant(0.5, True)",
    "ConstantInitializer(0.5)", "NumpyArrayInitializer(np.arange(12.0).reshape(4, 3))",
    "NumpyArrayInitializer([[1.0]])",
    "NumpyArrayInitializer(np.arange(12.0))", "NumpyArrayInitializer(np.arange(4.0))",
    "NumpyArrayInitializer(np.arange(12).reshape(4, 3))", "Bilinear()", "Uniform(0.5, 0.5)", "Normal(0.5, 0.0)",
    "TruncatedNormal(0.5, 0.0)", "Uniform('0', 1.0)", "Normal('0', 1.0)", "Uniform(1.0, -1.0)", "Normal(0.0, -1.0)",
    "Xavier(uniform='yes')", "Xavier(fan_in='3')", "MSRA(uniform='yes')", "Uniform(seed='x')", "Nothing()",
):  # fmt: skip
    made = "L.create_parameter([4, 3], 'float32', default_initializer=fluid.initializer.%s)" % initializer
    calls.static(made, differs=DIFFERS.get(initializer))
for initializer in ("Xavier()", "Xavier(False)", "MSRA()", "MSRA(False)", "Uniform()", "Normal()", "TruncatedNormal()"):
    calls.static("L.create_parameter([4, 3], 'float32', default_initializer=fluid.initializer.%s).shape" % initializer)
for text in (
    "force_init_on_cpu()", "init_on_cpu()", "Constant(0.5).__class__.__name__", "UniformInitializer(0.0, 1.0, 3)._seed",
    "NormalInitializer(0.0, 1.0, 3)._mean", "XavierInitializer()._uniform", "MSRAInitializer()._uniform",
    "Constant(0.5)._value", "BilinearInitializer().__class__.__name__",
):  # fmt: skip
    calls.static("fluid.initializer." + text, differs=DIFFERS.get(text))


# -- the imperative mode
def steps(optimizer, rate=0.1, count=3, **options):
    """Weight and bias after some steps, and the names of the state."""
    with fluid.dygraph.guard():
        net = fluid.dygraph.Linear(2, 1, fluid.initializer.Constant(0.3), fluid.initializer.Constant(0.1))
        minimizer = getattr(fluid.optimizer, optimizer)(rate, parameter_list=net.parameters(), **options)
        x = fluid.dygraph.to_variable(np.array([[1, 2], [3, 4]], "float32"))
        updates = []
        for _ in range(count):
            loss = fluid.layers.reduce_mean(fluid.layers.square(net(x)))
            loss.backward()
            ops, pairs = minimizer.minimize(loss)
            updates += [len(ops), [p.name for p, g in pairs]]
            net.clear_gradients()
        state = minimizer.state_dict()
        values = [state[name].numpy() for name in sorted(state) if name != "LR_Scheduler"]
        return [
            net.weight.numpy(),
            net.bias.numpy(),
            updates,
            sorted(state),
            values,
            float(minimizer.current_step_lr()),
        ]


for name, options in (
    ("SGD", {}), ("Momentum", {"momentum": 0.9}), ("Momentum", {"momentum": 0.9, "use_nesterov": True}),
    ("Adagrad", {}), ("Adagrad", {"initial_accumulator_value": 0.5}), ("Adam", {}), ("Adamax", {}),
    ("Adam", {"beta1": 0.5, "beta2": 0.8}),
    ("DecayedAdagrad", {}), ("Ftrl", {}), ("RMSProp", {}), ("RMSProp", {"centered": True, "momentum": 0.5}),
    ("Adadelta", {}), ("LarsMomentum", {"momentum": 0.9}), ("LambOptimizer", {}), ("Adam", {"name": "own"}),
    ("SGD", {"rate": "0.1"}), ("SGD", {"rate": None}), ("SGD", {"count": 0}),
):  # fmt: skip
    calls.program(steps, optimizer=name, **options)


def stepped(text):
    """What an expression gives after one step of `o` on `net`."""
    with fluid.dygraph.guard():
        net = fluid.dygraph.Linear(2, 1, fluid.initializer.Constant(0.3))
        o = fluid.optimizer.Adam(0.1, parameter_list=net.parameters())
        loss = fluid.layers.reduce_mean(net(fluid.dygraph.to_variable(np.ones((1, 2), "float32"))))
        loss.backward()
        o.minimize(loss)
        told = eval(text, {"o": o, "net": net, "loss": loss, "fluid": fluid, "np": np})
        return [told, net.weight.numpy()]


for text in (
    "o.minimize(loss)[0]", "o.apply_gradients([])", "len(o.backward(loss))", "o.get_opti_var_name_list()",
    "o.current_step_lr() == np.float32(0.1)", "len(o._learning_rate_map)", "o._global_learning_rate().numpy()",
    "o._create_global_learning_rate()", "o.clear_gradients() or net.weight.gradient()", "o.set_dict(o.state_dict())",
    "o.set_dict({})", "o.set_dict(3)", "o.minimize(3)", "o.minimize(loss, parameter_list=[net.bias])[0]",
    "o.minimize(loss, parameter_list=['nothing'])[0]", "o.minimize(loss, no_grad_set={net.weight.name})[0]",
    "o._get_accumulator('moment1', net.weight).shape", "o._get_accumulator('nothing', net.weight)",
    "sorted(o._accumulators)", "sorted(o._accumulators['moment1'])", "o._add_accumulator('moment1', net.weight).shape",
    "o._moment1_acc_str", "o._parameter_list == net.parameters()", "o.helper is None", "o._dtype is None", "o.type",
):  # fmt: skip
    calls.program(stepped, text=text)
