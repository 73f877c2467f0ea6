"""What is compared with what, and the ratio that each comparison may reach at most."""

from collections.abc import Iterable
from dataclasses import dataclass, field

OURS = "refluid"


@dataclass(frozen=True)
class Run:
    """One process: a work in an environment."""

    environment: str
    work: str
    once: bool = False


@dataclass(frozen=True)
class Against:
    """A peer's work and how much of its figure ours may be (None: for information)."""

    run: Run
    at_most: float | None = None
    title: str = ""  # in place of that of the environment


@dataclass(frozen=True)
class Row:
    name: str
    title: str
    ours: Run
    peers: list[Against] = field(default_factory=list)
    figure: str = "time"
    at_most_seconds: float | None = None

    def runs(self) -> list[Run]:
        return [self.ours, *(peer.run for peer in self.peers)]


def ours(work: str, once: bool = False) -> Run:
    return Run(OURS, work, once)


def torch(work: str, at_most: float, title: str = "") -> Against:
    return Against(Run("torch", work), at_most, title)


def fluid(work: str, at_most: float | None = None, once: bool = False) -> Against:
    return Against(Run("fluid", work, once), at_most)


def paddle3(work: str, at_most: float | None = None) -> Against:
    return Against(Run("paddle3", work), at_most)


def jax(work: str, at_most: float) -> Against:
    return Against(Run("jax", work), at_most)


def onnxruntime(work: str, at_most: float) -> Against:
    return Against(Run("onnxruntime", work), at_most)


def loop(work: str, title: str, at_most: float) -> Row:
    """An operator of workloads/loops_fluid.py beside Fluid's own."""
    run = f"loops_fluid.{work}"
    return Row(f"loops-{work.replace('_', '-')}", title, ours(run), [fluid(run, at_most)])


ROWS = [
    Row(
        "mnist-static",
        "MNIST training step, batch 64, Adam, static",
        ours("mnist_fluid.static"),
        [
            torch("mnist_torch.eager", 0.55),
            torch("mnist_torch.channels_last", 0.75, "PyTorch channels_last"),
            fluid("mnist_fluid.static", 0.30),
            paddle3("mnist_paddle3.static", 0.20),
        ],
    ),
    Row(
        "mnist-imperative",
        "the same, imperative",
        ours("mnist_fluid.imperative"),
        [torch("mnist_torch.eager", 0.65), fluid("mnist_fluid.imperative", 0.35), paddle3("mnist_paddle3.eager")],
    ),
    Row(
        "linear",
        "linear regression step (10 x 4), static",
        ours("linear_fluid.static"),
        [
            torch("linear_torch.eager", 0.35),
            fluid("linear_fluid.static", 0.08),
            jax("linear_jax.jitted", 1.5),
            paddle3("linear_paddle3.static"),
        ],
    ),
    Row(
        "linear-compiled",
        "the same, BuildStrategy.enable_auto_fusion",
        ours("linear_fluid.compiled"),
        [jax("linear_jax.jitted", 1.2)],
    ),
    Row(
        "chain",
        "30 small ops forward and backward, imperative",
        ours("chain_fluid.imperative"),
        [torch("chain_torch.eager", 1.2), fluid("chain_fluid.imperative", 0.5)],
    ),
    Row(
        "resnet-static",
        "ResNet-50 training step, 4 x 3 x 112 x 112, static",
        ours("resnet_fluid.static"),
        [torch("resnet_torch.eager", 1.0), fluid("resnet_fluid.static")],
    ),
    Row(
        "resnet-imperative",
        "the same, imperative",
        ours("resnet_fluid.imperative"),
        [torch("resnet_torch.eager", 1.0), fluid("resnet_fluid.imperative")],
    ),
    Row(
        "mlp",
        "3-layer MLP, width 1024, batch 128, static",
        ours("mlp_fluid.static"),
        [torch("mlp_torch.eager", 1.0), fluid("mlp_fluid.static")],
    ),
    Row(
        "mnist-static-memory",
        "peak memory of the MNIST training, static",
        ours("mnist_fluid.static"),
        [torch("mnist_torch.eager", 1.0)],
        figure="memory",
    ),
    Row(
        "mnist-imperative-memory",
        "the same, imperative",
        ours("mnist_fluid.imperative"),
        [torch("mnist_torch.eager", 1.0)],
        figure="memory",
    ),
    Row(
        "resnet-static-memory",
        "peak memory of the ResNet-50 training, static",
        ours("resnet_fluid.static"),
        [torch("resnet_torch.eager", 0.95)],
        figure="memory",
    ),
    Row(
        "resnet-imperative-memory",
        "the same, imperative",
        ours("resnet_fluid.imperative"),
        [torch("resnet_torch.eager", 0.95)],
        figure="memory",
    ),
    Row(
        "resnet-build",
        "building the ResNet-50 training program",
        ours("resnet_fluid.build", once=True),
        [fluid("resnet_fluid.build", 1.0, once=True)],
    ),
    Row(
        "first-resnet",
        "first run of the ResNet-50 training program",
        ours("first_fluid.resnet", once=True),
        [fluid("first_fluid.resnet", 1.0, once=True)],
    ),
    Row(
        "first-bert",
        "first run of BERT-base's training program, 12 layers",
        ours("first_fluid.bert", once=True),
        [fluid("first_fluid.bert", 1.0, once=True)],
    ),
    Row(
        "import",
        "`import paddle.fluid` beyond `import torch`",
        ours("import_fluid.after_torch", once=True),
        at_most_seconds=0.3,
    ),
    # -- loops over boxes and sequences -------------------------------------------------------------------------
    loop("multiclass_nms", "multiclass_nms, 80 classes x 1,575 boxes", 0.5),
    loop("matrix_nms", "matrix_nms, the same", 0.7),
    loop("locality_aware_nms", "locality_aware_nms, 2,000 quadrilaterals", 0.7),
    loop("generate_proposals", "generate_proposals, 63,000 anchors", 0.7),
    loop("rpn_target_assign", "rpn_target_assign, 63,000 anchors, 2 images", 0.7),
    loop("bipartite_match", "iou_similarity and bipartite_match, 8 images, 8,732 priors", 0.7),
    loop("target_assign", "target_assign, the same", 0.7),
    loop("ssd_loss", "ssd_loss, the same", 0.7),
    loop("beam_search", "beam_search, 64 sentences, beams of 4", 0.7),
    loop("crf_decoding", "crf_decoding, 100 sentences, 57 tags", 0.7),
    loop("edit_distance", "edit_distance, 64 pairs of lines", 0.7),
    loop("chunk_eval", "chunk_eval, 300 sentences", 0.7),
    loop("sequence_erase", "sequence_erase, 64 sentences", 0.7),
    loop("ctc_align", "ctc_greedy_decoder, 64 lines", 0.7),
    # -- sequences of different lengths ---------------------------------------------------------------------------
    Row(
        "sequences-lstm",
        "LoD-LSTM training step, 32 sequences of 5 to 100 words, width 132",
        ours("sequences_fluid.lstm"),
        [fluid("sequences_fluid.lstm", 0.35)],
    ),
    Row("sequences-gru", "the same, GRU", ours("sequences_fluid.gru"), [fluid("sequences_fluid.gru", 0.35)]),
    # -- sparse tables --------------------------------------------------------------------------------------------
    Row(
        "ctr",
        "CTR training step, 26 sparse tables of 10^5 x 16, batch 256, SGD",
        ours("ctr_fluid.static"),
        [torch("ctr_torch.eager", 0.8, "PyTorch sparse"), fluid("ctr_fluid.static", 0.45)],
    ),
    # -- data ---------------------------------------------------------------------------------------------------
    Row(
        "data-mnist",
        "one pass over 60,000 digits, shuffled and batched",
        ours("data_mnist.one_pass", once=True),
        [fluid("data_mnist.one_pass", 0.5, once=True)],
    ),
    Row(
        "data-loader",
        "an epoch of digits fed by DataLoader.from_generator",
        ours("data_loop.loader"),
        [Against(ours("data_loop.memory"), 1.05, "from memory")],
    ),
    Row(
        "data-py-reader",
        "the same, fed by PyReader",
        ours("data_loop.py_reader"),
        [Against(ours("data_loop.memory"), 1.05, "from memory")],
    ),
    Row(
        "data-workers",
        "DataLoader, 2 workers, 1 ms of Python per sample",
        ours("data_workers_fluid.loader"),
        [torch("data_workers_torch.loader", 1.0)],
    ),
    Row(
        "data-feeder",
        "DataFeeder on 512 sequences of words",
        ours("data_feeder.sequences"),
        [fluid("data_feeder.sequences", 0.3)],
    ),
]

# The imperative mode, and the ways from it to the static one.
ROWS += [
    Row(
        "lstm-imperative",
        "LSTM language model, 2 x 200, 20 steps, imperative",
        ours("lstm_fluid.imperative"),
        [torch("lstm_torch.eager", 1.1), fluid("lstm_fluid.imperative", 0.5)],
    ),
    Row(
        "lstm-translated",
        "the same under @declarative",
        ours("lstm_translated.training"),
        [
            Against(ours("lstm_fluid.imperative"), 0.8),
            torch("lstm_torch.compiled", 0.85, "torch.compile"),
            fluid("lstm_translated.training", 0.4),
        ],
    ),
    Row(
        "transformer",
        "Transformer encoder step, 4 x 256, imperative",
        ours("transformer_fluid.imperative"),
        [torch("transformer_torch.eager", 0.75), fluid("transformer_fluid.imperative", 0.6)],
    ),
    Row(
        "unroll-memory",
        "peak memory of an LSTM unrolled over 200 steps",
        ours("unroll_fluid.imperative"),
        [torch("unroll_torch.eager", 1.1)],
        figure="memory",
    ),
    Row(
        "transformer-translate",
        "translating the Transformer's forward, first call",
        ours("transformer_translated.first_call", once=True),
        at_most_seconds=3.0,
    ),
]

# Two processes with one thread each; the peers are PyTorch's DistributedDataParallel over Gloo, and torchrun.
ROWS += [
    Row(
        "parallel-mnist",
        "MNIST imperative step, 2 processes, DataParallel",
        ours("parallel_fluid.mnist"),
        [torch("parallel_torch.mnist", 0.85)],
    ),
    Row(
        "parallel-mlp",
        "3-layer MLP, width 1024, 2 processes, imperative",
        ours("parallel_fluid.mlp"),
        [torch("parallel_torch.mlp", 0.95)],
    ),
    Row(
        "parallel-mlp-static",
        "the same, static, mode nccl2",
        ours("parallel_fluid.mlp_static"),
        [torch("parallel_torch.mlp", 0.95)],
    ),
    Row(
        "parallel-lstm",
        "LSTM with a sparse embedding of 100,000 x 200, 2 processes",
        ours("parallel_fluid.lstm"),
        [torch("parallel_torch.lstm", 0.8)],
    ),
    Row(
        "parallel-start",
        "launch of 2 processes of an empty program",
        ours("start.fluid"),
        [torch("start.torch", 1.2)],
    ),
    Row(
        "parallel-mlp-memory",
        "peak memory per process of the 3-layer MLP, imperative",
        ours("parallel_fluid.mlp"),
        [torch("parallel_torch.mlp", 1.05)],
        figure="memory",
    ),
]


# Prediction with saved models.
ROWS += [
    Row(
        f"infer-{work.replace('_', '-')}",
        f"prediction, {title}, batch {work.split('_')[1]}",
        ours(f"infer_fluid.{work}"),
        [
            torch(f"infer_torch.{work}", 1.0),
            fluid(f"infer_fluid.{work}", 0.5),
            onnxruntime(f"infer_onnxruntime.{work}", 1.2 if work == "lenet_1" else 1.0),
        ],
    )
    for work, title in (
        ("lenet_1", "the digit recogniser"),
        ("lenet_16", "the digit recogniser"),
        ("resnet_1", "ResNet-50, 3 x 224 x 224"),
        ("resnet_16", "ResNet-50, 3 x 224 x 224"),
    )
]


# Prediction from C++ with exported packages. onnxruntime runs the same models through its Python API.
ROWS += [
    Row(
        f"cpp-{work.replace('_', '-')}",
        f"{title} from C++, batch {work.split('_')[1]}",
        ours(f"cpp_refluid.{work}"),
        [Against(ours(f"cpp_onnx.{work}"), 1.0, "onnxruntime"), fluid(f"cpp_fluid.{work}", 1.0)],
    )
    for work, title in (
        ("lenet_1", "50 predictions of digits"),
        ("lenet_16", "50 predictions of digits"),
        ("resnet_1", "ResNet-50, 3 x 224 x 224,"),
        ("resnet_16", "ResNet-50, 3 x 224 x 224,"),
    )
]


# Parameter servers: 2 of them and 2 trainers on loopback, a thread each; the times are those of trainer 0's step.
ROWS += [
    Row(
        "servers-ctr",
        "CTR, 26 slots, a table of 10^6 x 16, synchronous",
        ours("servers_job.ctr_sync"),
        [
            fluid("servers_job.ctr_sync", 1 / 3),
            Against(Run("torch", "servers_rpc.ctr_sync"), 1 / 1.5, "torch.distributed.rpc"),
        ],
    ),
    Row(
        "servers-ctr-async",
        "the same, asynchronous",
        ours("servers_job.ctr_async"),
        [fluid("servers_job.ctr_async", 1 / 3)],
    ),
    Row(
        "servers-mlp",
        "MLP of 5 million parameters, synchronous",
        ours("servers_job.mlp_sync"),
        [fluid("servers_job.mlp_sync", 1 / 1.5)],
    ),
    Row(
        "servers-gru4rec",
        "a cluster's whole life: gru4rec, 180 steps, 3 exports",
        ours("gru4rec_job.cluster", once=True),
        [fluid("gru4rec_job.cluster", 0.5, once=True)],
    ),
    Row(
        "servers-trainer-dies",
        "from a trainer's death to the others' next step",
        ours("faults.trainer_dies", once=True),
        at_most_seconds=10.0,
    ),
    Row(
        "servers-restart",
        "from a restarted server that listens to the next step",
        ours("faults.server_restarts", once=True),
        at_most_seconds=3.0,
    ),
]


def select(names: Iterable[str] | None) -> list[Row]:
    """The rows whose name starts with one of `names`; all of them when there are none."""
    return [row for row in ROWS if not names or any(row.name.startswith(name) for name in names)]


def runs_of(rows: Iterable[Row]) -> list[Run]:
    """Every run that the rows need, once, those of a row side by side."""
    return list(dict.fromkeys(run for row in rows for run in row.runs()))
