"""Small networks with parameter servers, and the programs that DistributeTranspiler makes of them for every process.

A case is a function that builds a network in the default programs, with the settings of its cluster; `build(name)`
gives {role: Program}: every process transpiles a network of its own, as real ones do.
"""

from describe import describe

import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.fluid.transpiler.geo_sgd_transpiler import GeoSgdTranspiler

CASES = {}
CONTROL = "__control_var@"  # the rest of the name is random in 1.8.5


def case(servers=2, trainers=2, trainer_id=0, sync_mode=True, geo=False, seed=0, **settings):
    """Register a network under its name; `settings` are those of DistributeTranspilerConfig besides sync_mode."""

    def register(network):
        CASES[network.__name__] = {
            "network": network, "servers": servers, "trainers": trainers, "trainer_id": trainer_id,
            "sync_mode": sync_mode, "geo": geo, "seed": seed, "settings": settings,
        }  # fmt: skip
        return network

    return register


def build(name):
    """The programs of a case: "trainer", "trainer_startup", "server_0", "server_0_startup", ..."""
    made = dict(zip(("trainer", "trainer_startup"), _process(name, _of_trainer)))
    for number, endpoint in enumerate(_endpoints(CASES[name]["servers"])):
        roles = ("server_%d" % number, "server_%d_startup" % number)
        made.update(zip(roles, _process(name, lambda made, _, own=endpoint: made.get_pserver_programs(own))))
    return made


def _of_trainer(transpiler, startup):
    return transpiler.get_trainer_program(wait_port=False), startup


def _endpoints(servers):
    return ["127.0.0.1:%d" % (6170 + i) for i in range(servers)]


def _process(name, get):
    """What one process does: build, transpile, get its programs."""
    about = CASES[name]
    config = fluid.DistributeTranspilerConfig()
    config.sync_mode = about["sync_mode"]
    for key, value in about["settings"].items():
        setattr(config, key, value)
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = about["seed"]
    endpoints = _endpoints(about["servers"])
    with fluid.unique_name.guard(), fluid.program_guard(main, startup):
        about["network"]()
        transpiler = (GeoSgdTranspiler if about["geo"] else fluid.DistributeTranspiler)(config=config)
        transpiler.transpile(
            about["trainer_id"], pservers=",".join(endpoints), trainers=about["trainers"],
            sync_mode=about["sync_mode"], current_endpoint=endpoints[0],
        )  # fmt: skip
        return get(transpiler, startup)


def describe_all(programs):
    """{role: blocks}, without what changes from process to process: random names, the order of sets."""
    return {role: _steady(describe(program)) for role, program in sorted(programs.items())}


def _steady(blocks):
    names = {}
    for block in blocks:
        for op in block["ops"]:
            for slots in (op["inputs"], op["outputs"]):
                for slot, old in list(slots.items()):
                    slots[slot] = [_renamed(name, names) for name in old]
                    if not old:
                        del slots[slot]
            if op["type"] == "listen_and_serv":
                op["attrs"]["grad_to_block_id"] = sorted(op["attrs"]["grad_to_block_id"])
        block["vars"] = {_renamed(name, names): var for name, var in block["vars"].items()}
        first = next((i for i, op in enumerate(block["ops"]) if op["type"] == "fake_init"), None)
        if first is not None:
            fakes = [op for op in block["ops"] if op["type"] == "fake_init"]
            block["ops"] = block["ops"][:first] + sorted(fakes, key=lambda op: op["outputs"]["Out"])
    return blocks


def _renamed(name, names):
    if not name.startswith(CONTROL):
        return name
    return names.setdefault(name, "control_%d" % len(names))


# -- networks -----------------------------------------------------------------------------------------------------


def _regression(sizes, **options):
    x = layers.data(name="x", shape=[13], dtype="float32")
    y = layers.data(name="y", shape=[1], dtype="float32")
    for size in sizes:
        x = layers.fc(input=x, size=size, act="relu", **options)
    return layers.mean(layers.square_error_cost(input=layers.fc(input=x, size=1), label=y))


@case()
def small_dense():
    """The linear regression of the guide: nothing is cut."""
    fluid.optimizer.SGD(learning_rate=0.01).minimize(_regression([]))


@case(servers=3, trainers=3, trainer_id=1)
def cut_dense():
    """A product of 13 x 2000 and one of 2000 x 300 are cut into rows for three servers; Adam."""
    fluid.optimizer.Adam(learning_rate=0.01).minimize(_regression([2000, 300]))


@case(slice_var_up=False, seed=90)
def whole_dense():
    """Parameters stay whole and are dealt out in a shuffled order; momentum."""
    fluid.optimizer.Momentum(learning_rate=0.01, momentum=0.9).minimize(_regression([2000, 20]))


@case(servers=1, trainers=1)
def one_of_each():
    """One server and one trainer: gradients keep their names; Adagrad."""
    fluid.optimizer.Adagrad(learning_rate=0.01).minimize(_regression([20]))


@case(servers=3, trainers=2)
def decayed_rate():
    """A rate that decays, on every server; RMSProp with momentum."""
    rate = layers.exponential_decay(learning_rate=0.1, decay_steps=10, decay_rate=0.5, staircase=True)
    fluid.optimizer.RMSProp(learning_rate=rate, momentum=0.1).minimize(_regression([20]))


@case()
def piecewise_rate():
    """A schedule with branches."""
    rate = layers.piecewise_decay(boundaries=[100, 200], values=[0.1, 0.01, 0.001])
    fluid.optimizer.Adamax(learning_rate=rate).minimize(_regression([20]))


@case()
def regularised_and_clipped():
    """Decay of weights runs on servers, clipping on trainers (1.8.5 loses the clip if it is an optimizer's)."""
    attr = fluid.ParamAttr(regularizer=fluid.regularizer.L1Decay(1e-3), learning_rate=0.5)
    loss = _regression([20], param_attr=attr)
    fluid.clip.set_gradient_clip(fluid.clip.GradientClipByGlobalNorm(1.0))
    decay = fluid.regularizer.L2Decay(1e-4)
    fluid.optimizer.Ftrl(learning_rate=0.01, regularization=decay).minimize(loss)


def _words(size, width=16, **options):
    words = [layers.data(name="word_%d" % i, shape=[1], dtype="int64", lod_level=0) for i in range(2)]
    label = layers.data(name="label", shape=[1], dtype="int64")
    rows = [
        layers.embedding(input=word, size=[size, width], param_attr=fluid.ParamAttr(name="table"), **options)
        for word in words
    ]
    prediction = layers.fc(input=layers.concat(rows, axis=1), size=10, act="softmax")
    return layers.mean(layers.cross_entropy(input=prediction, label=label))


@case()
def sparse_rows():
    """A sparse embedding, cut, looked up twice: its rows are fetched from servers."""
    fluid.optimizer.SGD(learning_rate=0.01).minimize(_words(3000, is_sparse=True))


@case()
def sparse_rows_decayed():
    """A sparse embedding whose rows decay on servers."""
    decay = fluid.regularizer.L2Decay(1e-4)
    fluid.optimizer.Adam(learning_rate=0.01, lazy_mode=True, regularization=decay).minimize(
        _words(3000, is_sparse=True)
    )


@case(slice_var_up=False)
def two_tables():
    """Two sparse embeddings, one of the newer kind, and a dense one, whole."""
    user = layers.data(name="user", shape=[1], dtype="int64")
    item = layers.data(name="item", shape=[1], dtype="int64")
    place = layers.data(name="place", shape=[1], dtype="int64")
    features = layers.concat(
        [
            layers.embedding(input=user, size=[500, 8], is_sparse=True),
            layers.squeeze(fluid.embedding(input=item, size=[300, 8], is_sparse=True), axes=[1]),
            layers.embedding(input=place, size=[20, 8]),
        ],
        axis=1,
    )
    loss = layers.mean(layers.square(layers.fc(features, size=1)))
    fluid.optimizer.Adagrad(learning_rate=0.01).minimize(loss)


# -- without waiting for all ----------------------------------------------------------------------------------------


@case(sync_mode=False)
def every_gradient_as_it_comes():
    """Gradients are cut by operators of the program and sent one by one."""
    fluid.optimizer.SGD(learning_rate=0.01).minimize(_regression([1500]))


@case(sync_mode=False)
def rate_decayed_by_all_steps():
    """Servers count the steps of all trainers."""
    rate = layers.exponential_decay(learning_rate=0.1, decay_steps=10, decay_rate=0.5)
    fluid.optimizer.DecayedAdagrad(learning_rate=rate).minimize(_regression([20]))


@case(trainers=3, sync_mode=False, runtime_split_send_recv=True)
def asynchronous():
    """The Communicator cuts, merges and sends."""
    rate = layers.exponential_decay(learning_rate=0.1, decay_steps=10, decay_rate=0.5)
    fluid.optimizer.Adam(learning_rate=rate).minimize(_words(3000, is_sparse=True))


@case(sync_mode=False, runtime_split_send_recv=True, half_async=True)
def half_asynchronous():
    """Trainers wait until what they sent has arrived."""
    fluid.optimizer.LarsMomentum(learning_rate=0.01, momentum=0.9).minimize(_regression([1500]))


@case(sync_mode=False, runtime_split_send_recv=True, half_async=True, completely_not_async=True)
def synchronous_by_communicator():
    """fleet's synchronous strategy: the Communicator sends, servers wait for all."""
    fluid.optimizer.SGD(learning_rate=0.01).minimize(_words(3000, is_sparse=True))


@case(sync_mode=False, enable_dc_asgd=True)
def delay_compensated():
    """Servers correct late gradients by what a trainer had seen."""
    fluid.optimizer.SGD(learning_rate=0.01).minimize(_regression([1500]))


@case(sync_mode=False, geo=True)
def geo():
    """Trainers update by themselves; how far parameters have moved goes to servers."""
    fluid.optimizer.SGD(learning_rate=0.01).minimize(_words(3000, is_sparse=True))


@case(servers=3, trainers=1, sync_mode=False, geo=True, geo_sgd_mode=True, runtime_split_send_recv=True)
def geo_dense():
    """The same without tables, with Adam."""
    fluid.optimizer.Adam(learning_rate=0.01).minimize(_regression([2000]))
