"""search_pyramid_hash: n-grams chosen by Bloom filters, and a table that trains itself."""

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.ops.sequence.hashing import MAGIC, in_bloom_filter, murmur3

IDS = np.array([[3], [7], [1], [4], [1], [2], [3], [4], [5]], "int32")
LENGTHS = [[4, 5]]
TABLE = np.random.RandomState(0).rand(24, 1).astype("float32")


def bloom(grams, size=256, hashes=3):
    """A filter that knows these n-grams, as Fluid keeps it in a parameter of float32."""
    bits = np.zeros(size, np.uint8)
    for gram in grams:
        words = np.array([gram], "float32").view(np.uint32)
        for seed in range(hashes):
            for half in murmur3(words, seed):
                bits[int(half[0]) % size] = 1
    head = np.array([MAGIC, size, hashes, len(grams)], "<u8").view(np.uint8)
    return np.concatenate([head, np.packbits(bits)]).view("float32").reshape(-1, 1)


WHITE = bloom([(3, 7), (7, 1), (3, 7, 1), (1, 2, 3, 4), (1, 2, 3, 4, 5)])
BLACK = bloom([(7, 1)])


def named(name, value):
    return fluid.ParamAttr(name=name, initializer=fluid.initializer.NumpyArrayInitializer(value))


def build(train=False, **options):
    x = fluid.data("x", [None, 1], "int32", lod_level=1)
    x.stop_gradient = not train
    settings = {"white_list_len": 0, "black_list_len": 0, **options}
    return fluid.contrib.layers.search_pyramid_hash(
        x, num_emb=8, space_len=20, pyramid_layer=5, rand_len=4, drop_out_percent=1.0, is_training=0, use_filter=True,
        seed=0, lr=0.5, param_attr=named("table", TABLE), param_attr_wl=named("white", WHITE),
        param_attr_bl=named("black", BLACK), **settings,
    )  # fmt: skip


def run(main, startup, fetch_list):
    exe = fluid.Executor()
    exe.run(startup)
    return exe.run(main, {"x": fluid.create_lod_tensor(IDS, LENGTHS, fluid.CPUPlace())}, fetch_list, return_numpy=False)


@pytest.fixture(autouse=True)
def programs():
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.scope_guard(fluid.Scope()), fluid.unique_name.guard():
        yield main, startup


# The sums of rows are what 1.8.5 gives.
@pytest.mark.parametrize(
    ("lists", "offsets", "sums"),
    [
        ({"white_list_len": len(WHITE)}, [[0, 3, 5]], [5.644, 5.846, 3.951, 3.322, 5.479]),
        ({"white_list_len": len(WHITE), "black_list_len": len(BLACK)}, [[0, 2, 4]], [5.644, 3.951, 3.322, 5.479]),
    ],
)
def test_filters_choose_the_ngrams(programs, lists, offsets, sums):
    (found,) = run(*programs, [build(**lists)])
    assert found.lod() == offsets
    np.testing.assert_allclose(np.array(found).sum(1), sums, atol=2e-3)


def test_the_backward_pass_trains_the_table(programs):
    out = build(train=True, white_list_len=len(WHITE))
    fluid.backward.append_backward(fluid.layers.reduce_sum(out))
    assert programs[0].global_block().ops[-1].type == "pyramid_hash_grad"
    run(*programs, [])
    table = np.array(fluid.global_scope().find_var("table").get_tensor()).reshape(-1)
    wanted = [0.549, 0.715, -0.397, -0.955, -1.076, -1.354, -0.562, -0.108]  # what 1.8.5 leaves there
    np.testing.assert_allclose(table[:8], wanted, atol=1e-3)


def test_a_table_that_is_no_filter_is_refused():
    with pytest.raises(ValueError, match="WhiteList must be a Bloom filter that begins with the number 17070416"):
        in_bloom_filter(np.zeros((20, 1), "float32"), np.zeros((1, 2), np.uint32), "WhiteList")


def test_a_parameter_that_servers_update_must_be_one_of_the_layer():
    with pytest.raises(ValueError, match="there is no parameter 'other' among table, white, black"):
        build(distribute_update_vars=["other"])
