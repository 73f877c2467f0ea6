"""The Compressor where 1.8.5 has no recording: files, checkpoints, what it fails on, wrong arguments."""

import numpy as np
import pytest
from tests.models.oracle import source

import paddle.fluid as fluid
from paddle.fluid.contrib.slim.core import Compressor, ConfigFactory
from paddle.fluid.contrib.slim.core.compressor import cached_reader
from paddle.fluid.contrib.slim.prune import AutoPruneStrategy, StructurePruner, UniformPruneStrategy
from paddle.fluid.contrib.slim.quantization import QatInt8MkldnnPass
from paddle.fluid.contrib.slim.searcher import SAController

CONFIG = """
version: 1.0
include: ["pruners.yaml"]
strategies:
    half:
        class: UniformPruneStrategy
        pruner: by_norm
        start_epoch: 0
        target_ratio: 0.57
        metric_name: none
        pruned_params: 'conv[134]_weights'
        colour: red
compressor:
    epoch: 2
    eval_epoch: 2
    checkpoint_path: ./checkpoints
    strategies:
        - half
"""
PRUNERS = """
pruners:
    by_norm:
        class: StructurePruner
        pruning_axis:
            '*': 0
        criterions:
            '*': 'l1_norm'
"""


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CPU_NUM", "1")
    return tmp_path


def cases():
    return source("slim_strategies")


def uniform(start_epoch=0):
    return UniformPruneStrategy(
        StructurePruner({"*": 0}, {"*": "l1_norm"}), start_epoch, target_ratio=0.57, pruned_params="conv[134]_weights"
    )


def test_a_file_describes_strategies_and_what_they_need(in_a_folder):
    pytest.importorskip("yaml")
    (in_a_folder / "config.yaml").write_text(CONFIG.replace('include: ["pruners.yaml"]', PRUNERS))
    factory = ConfigFactory("config.yaml")
    (strategy,) = factory.compressor["strategies"]
    assert strategy is factory.instance("half") and strategy.pruner is factory.instance("by_norm")
    assert (strategy.target_ratio, strategy.metric_name, factory.compressor["eval_epoch"]) == (0.57, None, 2)
    compressor = Compressor(fluid.CPUPlace(), fluid.Scope(), fluid.Program())
    compressor.config("config.yaml")
    assert compressor.epoch == 2 and compressor.checkpoint_path == "./checkpoints"

    (in_a_folder / "pruners.yaml").write_text(PRUNERS)
    (in_a_folder / "config.yaml").write_text(CONFIG)
    assert ConfigFactory("config.yaml").instance("by_norm").criterions == {"*": "l1_norm"}
    (in_a_folder / "config.yaml").write_text("pruners: {odd: {class: Magic}}")
    with pytest.raises(fluid.core.EnforceNotMet, match="odd is of the class 'Magic'; there are Strategy, "):
        ConfigFactory("config.yaml")


def test_a_training_goes_on_from_its_checkpoint_with_the_pruned_shapes(in_a_folder):
    whole, _ = cases().compress([uniform()], 3)
    first, _ = cases().compress([uniform()], 1, checkpoint_path="checkpoints")
    rest, compressor = cases().compress([uniform()], 3, checkpoint_path="checkpoints")
    assert compressor.context.epoch_id == 2
    assert rest["shapes"] == first["shapes"] == whole["shapes"]
    np.testing.assert_allclose(rest["results"]["loss"], whole["results"]["loss"], rtol=1e-5)
    assert (in_a_folder / "checkpoints" / "2" / "eval_model" / "__model__").exists()


def test_parts_of_a_concatenation_are_pruned_each_by_its_own_filters():
    """1.8.5 cuts what reads a concatenation once, by the first of its parts, and cannot run it."""
    found, _ = cases().compress([uniform()], 2, net=cases().network(joined=True))
    filters, channels, *_ = found["shapes"]["conv4_weights"][0]
    kept = found["shapes"]["conv3_weights"][0][0]
    assert filters == kept < 16 and channels == 2 * kept
    assert len(found["results"]["loss"]) == 2


def test_pruning_may_begin_after_an_epoch():
    found, _ = cases().compress([uniform(start_epoch=1)], 3)
    assert found["shapes"]["conv1_weights"][0][0] < 16 and len(found["results"]["loss"]) == 3


def test_the_best_of_the_searched_ratios_stays():
    """1.8.5 fails in the last epoch, and leaves the network as it is."""
    np.random.seed(1)
    controller = SAController(max_iter_number=10)
    strategy = AutoPruneStrategy(
        cases().pruner(), controller, end_epoch=3, min_ratio=0.5, max_ratio=0.8, pruned_params="conv[134]_weights",
        uniform_range=0.8,
    )  # fmt: skip
    found, _ = cases().compress([strategy], 4)
    kept = [found["shapes"][f"conv{i}_weights"][0][0] for i in (1, 3, 4)]
    assert kept == [16 - round(16 * token * 0.01) for token in controller._best_tokens]


def test_a_part_of_the_batches_is_the_same_every_time(in_a_folder):
    def reader():
        for i in range(20):
            yield [(np.full(2, i, "float32"), i)]

    sampled = cached_reader(reader, 0.3, "cache", 7)
    first = [batch[0][1] for batch in sampled()]
    assert first[0] == 0 and 1 < len(first) < 20
    again = list(cached_reader(None, 0.3, "cache", 7)())
    assert [batch[0][1] for batch in again] == first
    np.testing.assert_array_equal(again[1][0][0], np.full(2, first[1], "float32"))


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match=r"train_feed_list must be a list like \[\('image', image.name\)\], got dict"):
        Compressor(None, fluid.Scope(), fluid.Program(), train_feed_list={})
    with pytest.raises(ValueError, match="UniformPruneStrategy: pruned_params 'x' matches none of conv1_bn_mean, "):
        cases().compress([UniformPruneStrategy(cases().pruner(), pruned_params="x")], 1)
    with pytest.raises(ValueError, match="the criterion of w must be 'l1_norm', got 'l2_norm'"):
        StructurePruner({"*": 0}, {"*": "l2_norm"}).cal_pruned_idx("w", np.ones((2, 2)), 0.5)
    with pytest.raises(fluid.core.EnforceNotMet, match="QatInt8MkldnnPass makes models for the int8 kernels"):
        QatInt8MkldnnPass()
