"""PostTrainingQuantization where 1.8.5 has no recording: files for samples, and wrong arguments."""

import pytest
from tests.models.oracle import source

import paddle.fluid as fluid
from paddle.fluid.contrib.slim.quantization import PostTrainingQuantization, WeightQuantization


def quantized(folder, **options):
    exe = source("slim_post_training").saved(str(folder / "float"))
    quantization = PostTrainingQuantization(
        exe, model_dir=str(folder / "float"), model_filename="model", params_filename="params",
        sample_generator=source("slim_post_training").samples, batch_size=4, **options,
    )  # fmt: skip
    return source("slim_post_training").noted(quantization.quantize())


def test_samples_in_files_give_the_same_scales_and_leave_no_files(tmp_path):
    cache = tmp_path / "cache"
    assert quantized(tmp_path) == quantized(tmp_path, is_use_cache_file=True, cache_dir=str(cache))
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"algo": "mean"}, "algo must be of KL, abs_max, min_max, got 'mean'"),
        ({"quantizable_op_type": ["dropout"]}, "quantizable_op_type must be of .*, got 'dropout'"),
        ({"weight_quantize_type": "range_abs_max"}, "weight_quantize_type must be of abs_max, channel_wise_abs_max"),
        ({"sample_generator": None}, "batch_generator or sample_generator must be given"),
        ({"batch_size": 0}, "batch_size must be positive, got 0"),
        ({"model_dir": None}, "model_dir must be given"),
    ],
)
def test_wrong_arguments_are_named(options, says):
    given = {"executor": fluid.Executor(), "model_dir": "m", "sample_generator": list, **options}
    with pytest.raises(ValueError, match=f"PostTrainingQuantization: {says}"):
        PostTrainingQuantization(**given)


def test_weights_have_eight_or_sixteen_bits():
    with pytest.raises(ValueError, match="quantize_weight_to_int: weight_bits must be of 8, 16, got 4"):
        WeightQuantization("m").quantize_weight_to_int("out", weight_bits=4)
