"""Programs of every optimizer, clip, regularizer, schedule and average in plain Fluid code: what they append."""

import json

from describe import describe
from rates import STATIC
from training import CLIPS, TRAININGS, minimize, mlp_net, sparse_net

import paddle.fluid as fluid
from paddle.fluid import clip, layers

opt = fluid.optimizer
UPDATES = {name: make for name, make in TRAININGS.items() if name != "recompute"}  # it changes the backward pass
BEFORE = {0, 1, 256, 257}  # the roles of what an optimizer finds: forward, loss and backward operators
# Hints for Fluid's own kernel libraries, and words about formats that say nothing here.
HINTS = {"use_mkldnn", "use_cudnn", "x_data_format", "y_data_format", "str_value"}


def update(function):
    UPDATES[function.__name__] = function
    return function


def with_clip_of_program(make):
    """Clipping set for the whole program, the way before 1.8, with one sparse gradient."""
    loss = sparse_net()
    clip.set_gradient_clip(make())
    return minimize(loss, opt.SGD(learning_rate=0.1))


for _name, _clip in CLIPS.items():
    UPDATES[_name + "_of_program"] = lambda make=_clip: with_clip_of_program(make)
for _name, _rate in STATIC.items():
    UPDATES["rate_" + _name] = lambda make=_rate: (make(), None)


@update
def dpsgd():
    return minimize(mlp_net(), opt.Dpsgd(learning_rate=0.1, clip=0.5, batch_size=2.0, sigma=0.3))


@update
def named_adam():
    return minimize(mlp_net(), opt.Adam(learning_rate=0.1, name="mine"))


@update
def clip_of_weights_alone():
    chosen = clip.GradientClipByGlobalNorm(1.0, need_clip=lambda parameter: "w" in parameter.name)
    return minimize(mlp_net(), opt.SGD(learning_rate=0.1, grad_clip=chosen))


@update
def adam_of_variables():
    rate = layers.create_global_var([1], 0.1, "float32", persistable=True, name="my_rate")
    return minimize(mlp_net(fluid.ParamAttr(learning_rate=0.5)), opt.Adam(rate, beta1=rate, beta2=rate))


def build(name):
    """Build one program from nothing; returns its appended operators by role, as lines of text."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.unique_name.guard(), fluid.program_guard(main, startup):
        _, average = UPDATES[name]()
    programs = {"main": main, "startup": startup}
    if average is not None:
        programs.update(apply=average.apply_program, restore=average.restore_program)
    return {role: lines(program, role == "main") for role, program in programs.items()}


def lines(program, skip):
    """A line per operator of all blocks; those that an optimizer finds are left out if `skip`."""
    statements = []
    for number, block in enumerate(describe(program)):
        ops = block["ops"]
        roles = [op["attrs"].get("op_role", 0) for op in ops]
        start = 1 + max([i for i, role in enumerate(roles) if role in (1, 257)] or [-1]) if number == 0 and skip else 0
        statements += [
            "%d %s" % (number, line(op))
            for i, (op, role) in enumerate(zip(ops, roles))
            if i >= start or role not in BEFORE or op["type"] == "increment"
        ]
    return statements


def line(op):
    attrs = {name: value for name, value in op["attrs"].items() if name not in HINTS}
    slots = [{slot: names for slot, names in op[side].items() if names} for side in ("inputs", "outputs")]
    return " ".join([op["type"]] + [json.dumps(part, sort_keys=True) for part in slots + [attrs]])
