"""Small networks for several trainers that sum gradients themselves, and the programs that 1.8.5 makes of them.

`build(name)` gives {"main": Program, "startup": Program}. Builds of 1.8.5 for CPUs lack the operators gen_nccl_id and
c_gen_nccl_id: there they are noted where they would stand (`noting_meetings`), as they were asked for.
"""

import contextlib

from describe import describe, plain

import paddle.fluid as fluid
from paddle.fluid import framework, layers
from paddle.fluid.incubate.fleet.base import role_maker
from paddle.fluid.incubate.fleet.collective import DistributedStrategy, fleet
from paddle.fluid.transpiler import collective

MEETINGS = ("gen_nccl_id", "c_gen_nccl_id")
CASES = {}


def case(build):
    CASES[build.__name__] = build
    return build


def endpoints(count, nodes=1):
    return ["127.0.%d.1:%d" % (node, 6170 + i) for node in range(nodes) for i in range(count // nodes)]


def build(name):
    """The programs of a case."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.unique_name.guard(), fluid.program_guard(main, startup):
        CASES[name]()
    return {"main": main, "startup": startup}


def describe_all(programs, noted=()):
    """{role: blocks}; `noted` are operators of the startup program: [(their place, operator)]."""
    described = {role: describe(program) for role, program in programs.items()}
    for place, op in noted:
        described["startup"][0]["ops"].insert(place, op)
    for blocks in described.values():
        for op in blocks[0]["ops"]:
            for side in ("inputs", "outputs"):
                op[side] = {slot: names for slot, names in op[side].items() if names}
    return described


@contextlib.contextmanager
def noting_meetings():
    """Note the operators that this build lacks, in place of appending them: [(their place, operator)]."""
    noted = []
    original = framework.Block.append_op

    def append_op(self, *args, **kwargs):
        if kwargs.get("type") not in MEETINGS:
            return original(self, *args, **kwargs)
        outputs = {slot: [var.name] for slot, var in kwargs["outputs"].items()}
        attrs = {name: int(value) if name == "op_role" else plain(value) for name, value in kwargs["attrs"].items()}
        op = {"type": kwargs["type"], "inputs": {}, "outputs": outputs, "attrs": attrs}
        noted.append((len(self.ops) + len(noted), op))
        return None

    framework.Block.append_op = append_op
    try:
        yield noted
    finally:
        framework.Block.append_op = original


# -- networks -----------------------------------------------------------------------------------------------------


def regression():
    x = layers.data(name="x", shape=[13], dtype="float32")
    y = layers.data(name="y", shape=[1], dtype="float32")
    hidden = layers.fc(input=x, size=8, act="relu")
    return layers.mean(layers.square_error_cost(input=layers.fc(input=hidden, size=1), label=y))


def words():
    word = layers.data(name="word", shape=[1], dtype="int64")
    label = layers.data(name="label", shape=[1], dtype="int64")
    rows = layers.embedding(input=word, size=[50, 8], is_sparse=True)
    seen = layers.batch_norm(layers.fc(input=rows, size=6))
    prediction = layers.fc(input=seen, size=10, act="softmax")
    return layers.mean(layers.cross_entropy(input=prediction, label=label))


def transpile(mode, collective_mode=None, count=2, trainer_id=0, **settings):
    config = fluid.DistributeTranspilerConfig()
    config.mode, config.collective_mode, config.wait_port = mode, collective_mode, False
    for name, value in settings.items():
        setattr(config, name, value)
    every = endpoints(count)
    fluid.DistributeTranspiler(config=config).transpile(
        trainer_id, trainers=",".join(every), current_endpoint=every[trainer_id]
    )


# -- what the transpilers are asked for -----------------------------------------------------------------------------


@case
def nccl2():
    fluid.optimizer.SGD(learning_rate=0.01).minimize(regression())
    transpile("nccl2", trainer_id=1)


@case
def nccl2_with_rings_and_a_hierarchy():
    fluid.optimizer.Momentum(learning_rate=0.01, momentum=0.9).minimize(regression())
    transpile(
        "nccl2", count=4, trainer_id=3, nccl_comm_num=2, use_hierarchical_allreduce=True,
        hierarchical_allreduce_inter_nranks=2,
    )  # fmt: skip


@case
def grad_allreduce():
    fluid.optimizer.Momentum(learning_rate=0.01, momentum=0.9).minimize(regression())
    transpile("collective", "grad_allreduce")


@case
def grad_allreduce_on_three_rings():
    """Sparse gradients, decay, clipping by the global norm and a rate that decays."""
    rate = layers.exponential_decay(learning_rate=0.1, decay_steps=10, decay_rate=0.5)
    loss = words()
    clip = fluid.clip.GradientClipByGlobalNorm(1.0)
    decay = fluid.regularizer.L2Decay(1e-4)
    fluid.optimizer.Adam(learning_rate=rate, regularization=decay, grad_clip=clip).minimize(loss)
    transpile("collective", "grad_allreduce", count=3, trainer_id=2, nccl_comm_num=3)


@case
def local_sgd():
    fluid.optimizer.Momentum(learning_rate=0.01, momentum=0.9).minimize(regression())
    transpile("collective", "local_sgd", nccl_comm_num=2)


@case
def local_sgd_of_words():
    fluid.optimizer.SGD(learning_rate=0.01).minimize(words())
    transpile("collective", "local_sgd", count=4, trainer_id=1)


@case
def single_process_multi_thread():
    fluid.optimizer.SGD(learning_rate=0.01).minimize(regression())
    transpile("collective", "single_process_multi_thread", count=2)


def by_hand(kind, *rings):
    fluid.optimizer.Adagrad(learning_rate=0.01).minimize(regression())
    every = endpoints(2)
    kind(*rings).transpile(fluid.default_startup_program(), fluid.default_main_program(), 1, every, every[1], False)


@case
def class_grad_allreduce():
    by_hand(collective.GradAllReduce)


@case
def class_local_sgd():
    by_hand(collective.LocalSGD)


@case
def class_single_process_multi_thread():
    by_hand(collective.SingleProcessMultiThread)


def with_fleet(nodes=1, **settings):
    fleet.init(role_maker.UserDefinedCollectiveRoleMaker(1, endpoints(2, nodes)))
    strategy = DistributedStrategy()
    for name, value in settings.items():
        setattr(strategy, name, value)
    fleet.distributed_optimizer(fluid.optimizer.SGD(learning_rate=0.01), strategy).minimize(regression())


@case
def fleet_nccl2():
    with_fleet()


@case
def fleet_of_two_machines():
    with_fleet(nodes=2, nccl_comm_num=2)


@case
def fleet_grad_allreduce():
    with_fleet(mode="collective", collective_mode="grad_allreduce")


@case
def fleet_local_sgd():
    with_fleet(use_local_sgd=True)


@case
def collectives_by_hand():
    x = layers.data(name="x", shape=[4, 2], dtype="float32", append_batch_size=False)
    hand = layers.collective
    for kind in ("sum", "max", "min"):  # products are out of reach there, under either spelling
        hand._c_allreduce(x, reduce_type=kind, ring_id=1)
    hand._c_allgather(x, 2)
    hand._c_reducescatter(x, 2, use_calc_stream=True)
    hand._c_sync_comm_stream(hand._c_broadcast(hand._c_sync_calc_stream(x), root=1), 0)
    hand._allreduce(x, reduce_type="max", sync_mode=True)
    hand._broadcast(x, 0)
