"""Small networks under a Compressor of fluid.contrib.slim: what each strategy does to them, epoch by epoch."""

import contextlib
import os

import numpy as np

import paddle.fluid as fluid
from paddle.fluid.contrib.slim.core import Compressor
from paddle.fluid.contrib.slim.distillation import (
    DistillationStrategy,
    FSPDistiller,
    L2Distiller,
    SoftLabelDistiller,
)
from paddle.fluid.contrib.slim.graph import GraphWrapper
from paddle.fluid.contrib.slim.nas import LightNASStrategy, SearchSpace
from paddle.fluid.contrib.slim.prune import (
    AutoPruneStrategy,
    SensitivePruneStrategy,
    StructurePruner,
    UniformPruneStrategy,
)
from paddle.fluid.contrib.slim.quantization import QuantizationStrategy
from paddle.fluid.contrib.slim.searcher import SAController


def convolution(x, name, filters, size=3, groups=1, act="relu"):
    weights = fluid.ParamAttr(name=name + "_weights")
    y = fluid.layers.conv2d(
        x, filters, size, padding=size // 2, groups=groups, bias_attr=False, param_attr=weights, use_cudnn=False
    )
    names = {kind: name + "_bn_" + kind for kind in ("scale", "offset", "mean", "variance")}
    return fluid.layers.batch_norm(
        y, act=act, param_attr=fluid.ParamAttr(name=names["scale"]), bias_attr=fluid.ParamAttr(name=names["offset"]),
        moving_mean_name=names["mean"], moving_variance_name=names["variance"],
    )  # fmt: skip


def network(prefix="", width=16, joined=False):
    """(main, startup, test, feeds, fetches, logits) of a network with a depthwise convolution.

    Args:
        joined: with a concatenation, which 1.8.5 does not prune rightly.
    """
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(prefix):
        image, label = fluid.data("image", [None, 2, 8, 8]), fluid.data("label", [None, 1], "int64")
        first = convolution(image, prefix + "conv1", width)
        deep = convolution(first, prefix + "conv2", width, groups=width)
        x = convolution(deep, prefix + "conv3", width)
        if joined:
            x = fluid.layers.concat([deep, x], axis=1)
        x = convolution(x, prefix + "conv4", width, 1)
        x = fluid.layers.pool2d(x, 2, "avg", 2)
        logits = fluid.layers.fc(x, 4, param_attr=fluid.ParamAttr(name=prefix + "fc_w"),
                                 bias_attr=fluid.ParamAttr(name=prefix + "fc_b"))  # fmt: skip
        loss = fluid.layers.mean(fluid.layers.softmax_with_cross_entropy(logits, label))
        accuracy = fluid.layers.accuracy(fluid.layers.softmax(logits), label)
        test = main.clone(for_test=True)
    feeds = [("image", "image"), ("label", "label")]
    fetches = [("loss", loss.name), ("top1_acc", accuracy.name)]
    return main, startup, test, feeds, fetches, logits.name


def set_weights(main, scope, seed=3):
    random = np.random.RandomState(seed)
    for name in sorted(p.name for p in main.all_parameters()):
        tensor = scope.find_var(name).get_tensor()
        value = random.uniform(-0.5, 0.5, np.array(tensor).shape).astype("float32")
        tensor.set(np.abs(value) + 0.5 if "variance" in name or "scale" in name else value, fluid.CPUPlace())


def reader(batches=4, seed=11):
    """Batches of pictures with a bright quarter; the label says which."""

    def read():
        random = np.random.RandomState(seed)
        for _ in range(batches):
            batch = []
            for _ in range(8):
                label = random.randint(4)
                image = random.rand(2, 8, 8).astype("float32")
                image[:, 4 * (label // 2) : 4 * (label // 2) + 4, 4 * (label % 2) : 4 * (label % 2) + 4] += 0.5
                batch.append((image, np.array([label], "int64")))
            yield batch

    return read


def compress(strategies, epochs, optimizer=None, teachers=(), scope=None, net=None, **options):
    """Run a Compressor; {"results": of every epoch, "shapes": of the parameters afterwards}."""
    main, startup, test, feeds, fetches, _ = net or network()
    scope = scope or fluid.Scope()
    place = fluid.CPUPlace()
    with fluid.scope_guard(scope), fluid.unique_name.guard("slim_"):  # the program's own names are another guard's
        fluid.Executor(place).run(startup)
        set_weights(main, scope)
        compressor = Compressor(
            place, scope, main, train_reader=reader(), train_feed_list=feeds, train_fetch_list=fetches,
            eval_program=test, eval_reader=reader(2, 5), eval_feed_list=feeds, eval_fetch_list=fetches,
            teacher_programs=list(teachers), train_optimizer=optimizer or fluid.optimizer.Momentum(0.01, 0.9),
            distiller_optimizer=fluid.optimizer.SGD(0.01), **options
        )  # fmt: skip
        for strategy in strategies:
            compressor._add_strategy(strategy)
        compressor.epoch = epochs
        with parameters_by_name():
            graph = compressor.run()
    results = {name: rounded(values) for name, values in compressor.context.eval_results.items()}
    shapes = {
        param.name(): [list(param.shape()), list(np.array(scope.find_var(param.name()).get_tensor()).shape)]
        for param in graph.all_parameters()
    }
    return {"results": results, "shapes": shapes}, compressor


@contextlib.contextmanager
def parameters_by_name():
    """What is pruned first matters for the rest; 1.8.5 has the order of a hash table."""
    original = GraphWrapper.all_parameters
    GraphWrapper.all_parameters = lambda graph: sorted(original(graph), key=lambda param: param.name())
    try:
        yield
    finally:
        GraphWrapper.all_parameters = original


def rounded(values):
    return [float("%.6g" % v) for v in np.array(values).ravel()]


def pruner():
    return StructurePruner({"*": 0}, {"*": "l1_norm"})


def uniform():
    strategy = UniformPruneStrategy(pruner(), start_epoch=0, target_ratio=0.57, pruned_params="conv[134]_weights")
    found, _ = compress([strategy], 3)
    found["ratios"] = rounded(strategy.ratios)
    return found


def sensitive():
    np.random.seed(0)
    strategy = SensitivePruneStrategy(
        pruner(), delta_rate=0.2, target_ratio=0.32, metric_name="loss", pruned_params="conv[134]_weights",
        sensitivities_file="sensitivities.data",
    )  # fmt: skip
    strategy._eval_graph = loss_of
    outcomes, _ = compress([strategy], 2)
    kept = strategy._load_sensitivities("sensitivities.data")
    outcomes["sensitivities"] = {n: [rounded(v["pruned_percent"]), rounded(v["loss"])] for n, v in kept.items()}
    return outcomes


def loss_of(context, *rest):
    """The loss for testing: it is smooth, as an accuracy of 16 pictures is not."""
    results, names = context.run_eval_graph(*rest)
    return float(results[list(names).index("loss")])


def auto():
    np.random.seed(4)
    controller = SAController(reduce_rate=0.9, init_temperature=2, max_iter_number=20)
    strategy = AutoPruneStrategy(
        pruner(), controller, end_epoch=9, min_ratio=0.6, max_ratio=0.81, pruned_params="conv[134]_weights",
        uniform_range=0.8, retrain_epoch=1,
    )  # fmt: skip
    outcomes, _ = compress([strategy], 1)  # 1.8.5 measures what comes next on the network that is pruned already
    outcomes["tokens"] = controller._best_tokens
    del outcomes["shapes"]
    return outcomes


def distilled():
    teacher, startup, test, _, _, logits = network("teacher_", 16)
    scope = fluid.Scope()
    with fluid.scope_guard(scope):
        fluid.Executor(fluid.CPUPlace()).run(startup)
        set_weights(teacher, scope, seed=8)
    net = network(width=8)
    block = net[0].global_block()
    relus = [op.output("Out")[0] for op in block.ops if op.type == "relu"]
    strategy = DistillationStrategy(
        [
            L2Distiller(net[5], logits, 0.5),
            SoftLabelDistiller(net[5], logits, 2.0, 3.0, 0.7),
            FSPDistiller([(relus[0], relus[2])], [(relus[1], relus[3])], 0.1),
        ],
        start_epoch=0, end_epoch=2,
    )  # fmt: skip
    seen = []
    original = strategy.on_epoch_end
    strategy.on_epoch_end = lambda context: (seen.append(sorted(context.optimize_graph.out_nodes)), original(context))
    outcomes, _ = compress([strategy], 3, teachers=[test], scope=scope, net=net)
    outcomes["outputs"] = seen
    return outcomes


def quantized():
    strategy = QuantizationStrategy(
        start_epoch=1, end_epoch=2, float_model_save_path="float", int8_model_save_path="int8",
        mobile_model_save_path="mobile", activation_quantize_type="moving_average_abs_max",
        weight_quantize_type="channel_wise_abs_max", save_in_nodes=["image"],
    )  # fmt: skip
    net = network()
    strategy.save_out_nodes = [net[5]]
    outcomes, _ = compress([strategy], 3, net=net)
    del outcomes["shapes"]  # 1.8.5: the program of a graph has no parameters
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()):
        program, _, fetches = fluid.io.load_inference_model("float", exe, "model", "weights")
        image = np.array([sample[0] for sample in next(reader()())])
        outcomes["answer"] = rounded(exe.run(program, feed={"image": image}, fetch_list=fetches)[0])
    for folder in ("int8", "mobile"):
        with open(os.path.join(folder, "model"), "rb") as file:
            ops = fluid.Program.parse_from_string(file.read()).global_block().ops
        ops = [op for op in ops if op.type not in ("feed", "fetch") and "infer_model" not in op.output_arg_names[0]]
        outcomes[folder] = sorted(op.type for op in ops)
    return outcomes


def annealing():
    """The tokens that a controller proposes, with and without a condition."""
    walks = {}
    for name, allowed in (("free", None), ("bound", lambda tokens: sum(tokens) % 2 == 0)):
        np.random.seed(12)
        controller = SAController(reduce_rate=0.9, init_temperature=4, max_iter_number=5)
        controller.reset([5, 7, 3, 9], [1, 2, 0, 4], allowed)
        tokens, walk = [1, 2, 0, 4], []
        for i in range(12):
            controller.update(tokens, (i * 7 % 5) / 5.0)
            tokens = controller.next_tokens()
            walk += [int(t) for t in tokens]
        walks[name] = walk
    return walks


class Widths(SearchSpace):
    """Networks of several widths."""

    def init_tokens(self):
        return [2, 1]

    def range_table(self):
        return [4, 3]

    def create_net(self, tokens):
        net = network(width=4 + 4 * tokens[0] + tokens[1])
        with fluid.program_guard(net[0], net[1]), fluid.unique_name.guard("nas_"):
            fluid.optimizer.SGD(0.01).minimize(net[0].global_block().var(net[4][0][1]))
        return net[1], net[0], net[2], net[4], net[4], reader(1), reader(1)


def searched():
    np.random.seed(6)
    strategy = LightNASStrategy(
        SAController(), end_epoch=3, target_flops=400000, metric_name="flops", server_ip="127.0.0.1", is_server=True,
        search_steps=3,
    )  # fmt: skip
    measured = []

    def flops(program, scope):
        measured.append(GraphWrapper(program).flops())
        return 1.0 / measured[-1]

    compress([strategy], 3, search_space=Widths(), eval_func={"flops": flops}, net=network(width=13))
    return {"flops": rounded(measured), "tokens": [int(t) for t in strategy._current_tokens]}


def measured():
    """What a GraphWrapper says of a network."""
    main, _, _, feeds, fetches, _ = network()
    graph = GraphWrapper(main, feeds, fetches)
    (conv,) = [op for op in graph.ops() if op.type() == "depthwise_conv2d"]
    return {
        "flops": rounded([graph.flops(), graph.flops(only_conv=True)]),
        "parameters": [int(graph.numel_params())],
        "before": [op.type() for op in graph.pre_ops(conv)],
        "after": [op.type() for op in graph.next_ops(conv)],
        "params": [param.name() for param in graph.get_param_by_op(conv)],
        "readers": [op.type() for op in graph.var("conv2_weights").inputs()],
    }


CASES = {
    "uniform": uniform, "sensitive": sensitive, "auto": auto, "distilled": distilled, "quantized": quantized,
    "annealing": annealing, "searched": searched, "measured": measured,
}  # fmt: skip
