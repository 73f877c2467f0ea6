"""CompiledProgram.with_data_parallel: one program on several places, with the results of 1.8.5."""

from itertools import pairwise

import numpy as np
import pytest

import paddle.fluid as fluid
from refluid.core.errors import EnforceNotMet
from refluid.executor.data_parallel import DataParallel
from refluid.executor.replicate import replicate
from refluid.ops import registry

F32 = np.float32
X = np.random.RandomState(0).uniform(-1, 1, (8, 3)).astype(F32)
Y = np.random.RandomState(1).uniform(-1, 1, (8, 1)).astype(F32)
FEED = {"x": X, "y": Y}


@pytest.fixture
def exe():
    return fluid.Executor(fluid.CPUPlace())


def values(name):
    return np.array(fluid.global_scope().find_var(name).get_tensor())


def network(body=lambda h: h, optimizer=None):
    """The loss and the prediction of a small regression; always the same first parameters."""
    first = fluid.ParamAttr("w", initializer=fluid.initializer.UniformInitializer(-1, 1, seed=5))
    x = fluid.layers.data("x", [3])
    y = fluid.layers.data("y", [1])
    h = body(fluid.layers.fc(x, 4, act="tanh", param_attr=first))
    second = fluid.ParamAttr("v", initializer=fluid.initializer.UniformInitializer(-1, 1, seed=6))
    predicted = fluid.layers.fc(h, 1, param_attr=second)
    loss = fluid.layers.mean(fluid.layers.square_error_cost(predicted, y))
    (optimizer or fluid.optimizer.SGD(0.1)).minimize(loss)
    return loss, predicted


def parallel(loss, count=2, **options):
    places = [fluid.CPUPlace()] * count
    return fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(loss.name, places=places, **options)


def steps(exe, program, feeds=(FEED,), fetch=()):
    """Start anew and run; returns the last fetches."""
    exe.run(fluid.default_startup_program())
    return [exe.run(program, feed=feed, fetch_list=list(fetch)) for feed in feeds][-1]


OPTIMIZERS = {
    "sgd": lambda: fluid.optimizer.SGD(0.1),
    "momentum": lambda: fluid.optimizer.Momentum(0.1, 0.9, regularization=fluid.regularizer.L2Decay(0.1)),
    "adam": lambda: fluid.optimizer.Adam(fluid.layers.exponential_decay(0.1, 1, 0.5)),
    "clipped": lambda: fluid.optimizer.Adagrad(0.1, grad_clip=fluid.clip.GradientClipByGlobalNorm(0.01)),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_even_shares_train_as_the_whole_batch_does(exe, name):
    loss, _ = network(optimizer=OPTIMIZERS[name]())
    steps(exe, fluid.default_main_program(), [FEED] * 4)
    alone = values("w"), values("v")
    steps(exe, parallel(loss, 4), [FEED] * 4)
    np.testing.assert_allclose(values("w"), alone[0], rtol=2e-5, atol=1e-6)
    np.testing.assert_allclose(values("v"), alone[1], rtol=2e-5, atol=1e-6)


def test_fetches_are_the_values_of_all_places_one_after_the_other(exe):
    loss, predicted = network()
    names = [loss, predicted, "w", "w@GRAD", "learning_rate_0"]
    whole = steps(exe, fluid.default_main_program(), fetch=names)
    got = steps(exe, parallel(loss), fetch=names)
    assert [one.shape for one in got] == [(2,), (8, 1), (6, 4), (6, 4), (2,)]
    np.testing.assert_allclose(got[0].mean(), whole[0][0], rtol=1e-5)
    np.testing.assert_allclose(got[1], whole[1], rtol=1e-5)
    np.testing.assert_array_equal(got[2][:3], got[2][3:])
    np.testing.assert_allclose(got[3], np.concatenate([whole[3], whole[3]]), rtol=1e-4, atol=1e-6)


def test_fetches_are_lists_when_they_are_not_to_be_merged(exe):
    loss, predicted = network()
    exe.run(fluid.default_startup_program())
    got = exe.run(parallel(loss), feed={"x": X[:7], "y": Y[:7]}, fetch_list=[loss, predicted], return_merged=False)
    assert [[part.shape for part in one] for one in got] == [[(1,), (1,)], [(4, 1), (3, 1)]]
    tensors = exe.run(parallel(loss), feed=FEED, fetch_list=[loss], return_merged=False, return_numpy=False)
    assert all(isinstance(part, fluid.LoDTensor) for part in tensors[0])


@pytest.mark.parametrize("samples, places, shares", [(7, 2, [4, 3]), (7, 4, [2, 2, 2, 1]), (5, 4, [1, 1, 1, 2])])
def test_uneven_shares_are_weighted_alike(exe, samples, places, shares):
    loss, predicted = network()
    part = {"x": X[:samples], "y": Y[:samples]}
    exe.run(fluid.default_startup_program())
    program = parallel(loss, places)
    got = exe.run(program, feed=part, fetch_list=[predicted, "v@GRAD"], return_merged=False)
    assert [len(one) for one in got[0]] == shares
    edges = np.cumsum([0, *shares])
    exe.run(fluid.default_startup_program())
    alone = []
    for start, end in pairwise(edges):
        exe.run(fluid.default_startup_program())
        alone.append(exe.run(feed={"x": X[start:end], "y": Y[start:end]}, fetch_list=["v@GRAD"])[0])
    np.testing.assert_allclose(got[1][0], np.mean(alone, 0), rtol=1e-5)


def test_a_batch_smaller_than_the_places_is_refused(exe):
    loss, _ = network()
    with pytest.raises(EnforceNotMet, match="feed 'x': a batch of 1 cannot be split over 2 places"):
        steps(exe, parallel(loss), [{"x": X[:1], "y": Y[:1]}])


def test_a_feed_may_be_a_list_with_a_dict_for_every_place(exe):
    loss, predicted = network()
    feed = [{"x": X[:2], "y": Y[:2]}, {"x": X[2:], "y": Y[2:]}]
    got = steps(exe, parallel(loss), [feed], [loss, predicted])
    assert [one.shape for one in got] == [(2,), (8, 1)]
    for wrong, says in [
        (feed * 2, "feed is a list of 4 dicts, but the program runs on 2 places"),
        ([X, Y], "a list of one dict per place"),
    ]:
        with pytest.raises(EnforceNotMet, match=says):
            exe.run(parallel(loss), feed=wrong, fetch_list=[loss])


def test_gradients_are_summed_when_the_strategy_says_so(exe):
    loss, _ = network()
    strategy = fluid.BuildStrategy()
    strategy.gradient_scale_strategy = fluid.BuildStrategy.GradientScaleStrategy.One
    (mean,) = steps(exe, parallel(loss), fetch=["w@GRAD"])
    (total,) = steps(exe, parallel(loss, build_strategy=strategy), fetch=["w@GRAD"])
    np.testing.assert_allclose(total, 2 * mean, rtol=1e-5)


def test_the_gradient_of_the_loss_is_fed_when_the_strategy_says_so(exe):
    loss, _ = network()
    strategy = fluid.BuildStrategy()
    strategy.gradient_scale_strategy = fluid.BuildStrategy.GradientScaleStrategy.Customized
    (mean,) = steps(exe, parallel(loss), fetch=["w@GRAD"])
    fed = {**FEED, loss.name + "@GRAD": np.array([0.5, 0.5], F32)}
    (custom,) = steps(exe, parallel(loss, build_strategy=strategy), [fed], ["w@GRAD"])
    np.testing.assert_allclose(custom, mean, rtol=1e-5)


def test_statistics_of_batch_norm_are_those_of_the_first_place(exe):
    def body(h):
        return fluid.layers.batch_norm(h, moving_mean_name="mean", moving_variance_name="variance")

    loss, _ = network(body)
    program = parallel(loss)
    exe.run(fluid.default_startup_program())
    w = values("w")
    (means,) = exe.run(program, feed=FEED, fetch_list=["mean"])
    np.testing.assert_allclose(values("mean"), 0.1 * np.tanh(X[:4] @ w).mean(0), rtol=1e-4)
    np.testing.assert_allclose(means[4:], 0.1 * np.tanh(X[4:] @ w).mean(0), rtol=1e-4)
    np.testing.assert_array_equal(means[:4], values("mean"))


def test_places_drop_other_elements(exe):
    kept = []
    loss, _ = network(lambda h: kept.append(fluid.layers.dropout(h * 0 + 1, 0.5)) or kept[0])
    (got,) = steps(exe, parallel(loss), fetch=kept)
    assert set(got.ravel()) == {0.0, 1.0} and not np.array_equal(got[:4], got[4:])


def test_counters_count_runs_not_places(exe):
    step = fluid.layers.autoincreased_step_counter()
    loss, _ = network()
    got = steps(exe, parallel(loss), [FEED] * 3, [step])
    assert got[0].tolist() == [3, 3]


def test_a_parameter_that_no_data_reach_gets_its_whole_gradient(exe):
    q = fluid.layers.create_parameter([2], "float32", name="q")
    x = fluid.layers.data("x", [3])
    loss = fluid.layers.mean(fluid.layers.fc(x, 1)) + fluid.layers.reduce_sum(q)
    fluid.optimizer.SGD(0.1).minimize(loss)
    (grad,) = steps(exe, parallel(loss, 4), [{"x": X}], ["q@GRAD"])
    np.testing.assert_allclose(grad, np.ones(8))


def test_sequences_stay_whole_and_sparse_gradients_add_up(exe):
    words = fluid.layers.data("words", [1], dtype="int64", lod_level=1)
    rows = fluid.layers.embedding(words, [6, 2], is_sparse=True, param_attr="table")
    sums = fluid.layers.sequence_pool(rows, "sum")
    loss = fluid.layers.mean(sums)
    fluid.optimizer.SGD(1.0).minimize(loss)
    exe.run(fluid.default_startup_program())
    before = values("table")
    ids = np.array([[1], [2], [3], [3], [4], [5]], np.int64)
    fed = fluid.create_lod_tensor(ids, [[1, 2, 3]], fluid.CPUPlace())
    program = parallel(loss)
    got = exe.run(program, feed={"words": fed}, fetch_list=[loss, sums, rows], return_numpy=False)
    assert [np.array(one).shape for one in got] == [(2,), (3, 2), (6, 2)]
    assert got[2].lod() == [[0, 1, 3, 6]]
    # Two sequences on the first place (means over 4 numbers), one on the second (over 2); then halved.
    np.testing.assert_allclose((before - values("table"))[:, 0], [0, 0.125, 0.125, 0.375, 0.25, 0.25], rtol=1e-5)
    one = fluid.create_lod_tensor(ids, [[6]], fluid.CPUPlace())
    with pytest.raises(EnforceNotMet, match="feed 'words': a batch of 1 cannot be split over 2 places"):
        exe.run(program, feed={"words": one}, fetch_list=[loss])


def test_two_levels_of_sequences_are_split_by_the_outer_one(exe):
    words = fluid.layers.data("words", [1], lod_level=2)
    doubled = fluid.layers.scale(words, 2.0)
    lod = [[0, 2, 3, 4], [0, 1, 3, 4, 6]]
    fed = fluid.LoDTensor()
    fed.set(np.arange(6, dtype=F32).reshape(6, 1), fluid.CPUPlace())
    fed.set_lod(lod)
    program = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(places=[fluid.CPUPlace()] * 2)
    (got,) = exe.run(program, feed={"words": fed}, fetch_list=[doubled], return_numpy=False)
    assert got.lod() == lod and np.array(got)[:, 0].tolist() == [0, 2, 4, 6, 8, 10]
    ((first, second),) = exe.run(
        program, feed={"words": fed}, fetch_list=[doubled], return_numpy=False, return_merged=False
    )
    assert first.lod() == [[0, 2, 3], [0, 1, 3, 4]] and second.lod() == [[0, 1], [0, 2]]


def test_a_test_program_shares_parameters(exe):
    loss, _ = network()
    test = fluid.default_main_program().clone(for_test=True)
    train = parallel(loss)
    check = fluid.CompiledProgram(test).with_data_parallel(share_vars_from=train, places=[fluid.CPUPlace()] * 4)
    (before,) = steps(exe, check, fetch=[loss])
    exe.run(train, feed=FEED)
    (after,) = exe.run(check, feed=FEED, fetch_list=[loss])
    assert before.shape == after.shape == (4,) and after.mean() < before.mean()


def test_the_number_of_places_is_cpu_num(exe, monkeypatch):
    loss, _ = network()
    monkeypatch.setenv("CPU_NUM", "3")
    program = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(loss_name=loss.name)
    assert steps(exe, program, fetch=[loss])[0].shape == (3,)


def test_mistakes_are_told(exe):
    loss, _ = network()
    program = fluid.default_main_program()
    exe.run(fluid.default_startup_program())
    for options, says in [
        ({}, "the program has a backward pass, so loss_name must name its loss"),
    ]:
        with pytest.raises(EnforceNotMet, match=says):
            exe.run(fluid.CompiledProgram(program).with_data_parallel(**options), feed=FEED)
    for options, says in [
        ({"share_vars_from": fluid.CompiledProgram(program)}, "must be a CompiledProgram with data parallelism"),
        ({"places": []}, "places must be a place or a list of places"),
        ({"places": [fluid.CPUPlace(), fluid.CUDAPlace(0)]}, "all CPU or all CUDA"),
    ]:
        with pytest.raises(EnforceNotMet, match=says):
            fluid.CompiledProgram(program).with_data_parallel(loss.name, **options)
    compiled = parallel(loss)
    with pytest.raises(EnforceNotMet, match="has it already"):
        compiled.with_data_parallel(loss.name)
    with pytest.raises(EnforceNotMet, match="feed: the program has no variable 'z'; its data are x, y"):
        exe.run(compiled, feed={**FEED, "z": X})
    with pytest.raises(EnforceNotMet, match="variables of the program, got 'nothing'"):
        exe.run(compiled, feed=FEED, fetch_list=["nothing"])
    with pytest.raises(EnforceNotMet, match="feed: 'x' is missing"):
        exe.run(compiled)


def test_values_of_other_shapes_on_every_place_cannot_be_merged(exe):
    x = fluid.layers.data("x", [3])
    across = fluid.layers.transpose(x, [1, 0])
    program = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(places=[fluid.CPUPlace()] * 2)
    with pytest.raises(EnforceNotMet, match=r"has the shapes \[3, 4\] and \[3, 3\] on the places"):
        exe.run(program, feed={"x": X[:7]}, fetch_list=[across])
    got = exe.run(program, feed={"x": X[:7]}, fetch_list=[across], return_merged=False)
    assert [part.shape for part in got[0]] == [(3, 4), (3, 3)]


def test_a_program_that_changes_after_its_first_run_is_written_again(exe):
    loss, predicted = network()
    program = parallel(loss)
    steps(exe, program)
    doubled = fluid.layers.scale(predicted, 2.0)
    got = exe.run(program, feed=FEED, fetch_list=[predicted, doubled])
    np.testing.assert_allclose(got[1], 2 * got[0])


def test_a_condition_is_met_on_every_place_by_itself(exe):
    x = fluid.layers.data("x", [1])
    total = fluid.layers.reduce_sum(x)
    out = fluid.layers.create_global_var([1], 0.0, "float32")
    with fluid.layers.Switch() as switch:
        with switch.case(total > 0.0):
            fluid.layers.assign(total * 2.0, out)
        with switch.default():
            fluid.layers.assign(total - 1.0, out)
    exe.run(fluid.default_startup_program())
    program = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(places=[fluid.CPUPlace()] * 2)
    fed = np.array([[1], [2], [-1], [-2]], F32)
    assert exe.run(program, feed={"x": fed}, fetch_list=[out])[0].tolist() == [6.0, -4.0]


def test_a_loop_with_a_gradient_runs_on_every_place(exe):
    x = fluid.layers.data("x", [3])
    w = fluid.layers.create_parameter(
        [3], "float32", name="w", default_initializer=fluid.initializer.ConstantInitializer(2.0)
    )
    i, n = (fluid.layers.fill_constant([1], "int64", value) for value in (0, 3))
    x.stop_gradient = False

    def body(i, h):
        return [i + 1, fluid.layers.elementwise_mul(h, w)]

    _, h = fluid.layers.while_loop(lambda i, h: fluid.layers.less_than(i, n), body, [i, x])
    loss = fluid.layers.mean(h)
    fluid.optimizer.SGD(0.1).minimize(loss)
    alone = steps(exe, fluid.default_main_program(), [{"x": X}], [loss, "w@GRAD"])
    got = steps(exe, parallel(loss), [{"x": X}], [loss, "w@GRAD"])
    np.testing.assert_allclose(got[0].mean(), alone[0][0], rtol=1e-5)
    np.testing.assert_allclose(got[1], np.tile(alone[1], 2), rtol=1e-5)


def test_a_condition_with_a_gradient_runs_on_every_place(exe):
    x = fluid.layers.data("x", [3])
    w = fluid.layers.create_parameter([3], "float32", name="w")
    total = fluid.layers.reduce_sum(x)
    h = fluid.layers.cond(
        total > 0.0, lambda: fluid.layers.elementwise_mul(x, w), lambda: fluid.layers.elementwise_add(x, w)
    )
    loss = fluid.layers.mean(h)
    fluid.optimizer.SGD(0.1).minimize(loss)
    fed = np.concatenate([np.full((4, 3), 2.0, F32), np.full((4, 3), -1.0, F32)])
    (grad,) = steps(exe, parallel(loss), [{"x": fed}], ["w@GRAD"])
    np.testing.assert_allclose(grad[:3], np.full(3, (2.0 + 1.0) / 3 / 2), rtol=1e-5)


def test_places_come_one_after_the_other():
    """So that what one has computed is freed before the next begins."""
    network(optimizer=OPTIMIZERS["momentum"]())
    made = replicate(fluid.default_main_program(), 2, ("x", "y"), 0.5).program.global_block().ops
    first = [i for i, op in enumerate(made) if "@place1" in " ".join(op.output_arg_names)]
    last = next(i for i, op in enumerate(made) if op.type == "sum")
    assert first == list(range(first[0], last))
    assert not any("_grad" in op.type for op in made[last:])


def test_who_reads_a_gradient_after_the_backward_pass_reads_the_sum(exe):
    loss, predicted = network()
    grad = fluid.default_main_program().global_block().var("v@GRAD")
    with_data = fluid.layers.elementwise_add(fluid.layers.reduce_mean(predicted) * 0, fluid.layers.reduce_sum(grad))
    got = steps(exe, parallel(loss), fetch=[with_data, "v@GRAD"])
    np.testing.assert_allclose(got[0], np.full(2, got[1][:4].sum()), rtol=1e-5)


def test_the_program_of_the_user_is_not_changed(exe):
    loss, _ = network()
    before = str(fluid.default_main_program())
    steps(exe, parallel(loss, 4))
    assert str(fluid.default_main_program()) == before


class TestParallelExecutor:
    def test_it_trains_and_tests(self, exe, monkeypatch):
        monkeypatch.setenv("CPU_NUM", "2")
        loss, _ = network()
        test = fluid.default_main_program().clone(for_test=True)
        exe.run(fluid.default_startup_program())
        trainer = fluid.ParallelExecutor(use_cuda=False, loss_name=loss.name)
        tester = fluid.ParallelExecutor(use_cuda=False, main_program=test, share_vars_from=trainer)
        assert trainer.device_count == 2
        before = tester.run([loss.name], feed=FEED)[0]
        assert before.shape == (2,)
        (again,) = trainer.run(fetch_list=[loss.name], feed_dict=FEED)
        np.testing.assert_array_equal(before, again)
        (tensor,) = tester.run([loss.name], feed=[{"x": X[:2], "y": Y[:2]}, {"x": X, "y": Y}], return_numpy=False)
        assert isinstance(tensor, fluid.LoDTensor)
        trainer.drop_local_exe_scopes()
        assert tester.run([loss.name], feed=FEED)[0].mean() < before.mean()

    def test_mistakes_are_told(self):
        loss, _ = network()
        with pytest.raises(EnforceNotMet, match="share_vars_from must be a ParallelExecutor, got Program"):
            fluid.ParallelExecutor(False, loss.name, share_vars_from=fluid.default_main_program())


def test_strategies_refuse_what_they_do_not_have():
    strategy = fluid.ExecutionStrategy()
    strategy.num_threads = 4
    with pytest.raises(AttributeError, match="ExecutionStrategy: there is no 'threads'"):
        strategy.threads = 4
    with pytest.raises(AttributeError, match="nothing"):
        fluid.BuildStrategy().nothing
    assert (strategy.num_threads, fluid.ExecutionStrategy().num_threads) == (4, 0)


def test_statistics_over_all_places_are_refused(exe):
    strategy = fluid.BuildStrategy()
    strategy.sync_batch_norm = True
    loss, _ = network(fluid.layers.batch_norm)
    program = parallel(loss, build_strategy=strategy)
    exe.run(fluid.default_startup_program())
    with pytest.raises(EnforceNotMet, match="sync_batch_norm: every place of a process has statistics of its own"):
        exe.run(program, feed=FEED, fetch_list=[loss])


def test_the_graph_for_all_places_is_written(exe, tmp_path):
    loss, _ = network()
    strategy = fluid.BuildStrategy()
    strategy.debug_graphviz_path = str(tmp_path / "graph.dot")
    steps(exe, parallel(loss, build_strategy=strategy))
    text = (tmp_path / "graph.dot").read_text()
    assert text.startswith("digraph program {") and text.count('label="mul"') == 4 and '"x@place1" -> op' in text


class TestLoadersForSeveralPlaces:
    """What loaders and feeders make for several places goes into a program that runs on them."""

    @pytest.fixture
    def trained(self, exe):
        image, label = fluid.layers.data("x", [3]), fluid.layers.data("y", [1])
        loss = fluid.layers.mean(fluid.layers.square_error_cost(fluid.layers.fc(image, 1), label))
        fluid.optimizer.SGD(0.1).minimize(loss)
        exe.run(fluid.default_startup_program())

        def run(feed):
            return exe.run(program, feed=feed, fetch_list=[loss])[0].shape

        program = parallel(loss)
        return [image, label], run

    def test_feeders(self, trained):
        variables, run = trained
        feeder = fluid.DataFeeder(variables, fluid.CPUPlace())
        samples = [(x, y) for x, y in zip(X, Y, strict=True)]
        assert run(feeder.feed(samples)) == (2,)
        assert run(list(feeder.feed_parallel([samples[:3], samples[3:]], 2))) == (2,)
        reader = feeder.decorate_reader(lambda: iter([samples[:3], samples[3:]]), multi_devices=True, num_places=2)
        assert [run(list(item)) for item in reader()] == [(2,)]

    def test_generators(self, trained):
        variables, run = trained
        loader = fluid.io.DataLoader.from_generator(variables, capacity=4)
        loader.set_batch_generator(lambda: iter([(X, Y)] * 5), places=fluid.cpu_places(2))
        assert [run(item) for item in loader] == [(2,), (2,)]

    def test_data_sets(self, trained):
        variables, run = trained

        class Rows(fluid.io.Dataset):
            def __len__(self):
                return len(X)

            def __getitem__(self, i):
                return X[i], Y[i]

        loader = fluid.io.DataLoader(Rows(), feed_list=variables, places=fluid.cpu_places(2), batch_size=2)
        assert [run(item) for item in loader] == [(2,), (2,)]


@pytest.mark.filterwarnings("ignore:.*there is no such CUDA device here:UserWarning")
def test_a_parallel_executor_takes_the_device_that_launch_has_given(monkeypatch):
    monkeypatch.setenv("FLAGS_selected_gpus", "1")
    found = fluid.ParallelExecutor(use_cuda=True)
    assert found._executor.place == fluid.CUDAPlace(1)
    assert found.device_count == 1


def test_which_normalisation_goes_by_the_batches_of_all_trainers_is_told_by_its_definition():
    x = fluid.data("x", [None, 2, 3, 3])
    loss = fluid.layers.mean(fluid.layers.batch_norm(fluid.layers.layer_norm(x)))
    fluid.optimizer.SGD(0.1).minimize(loss)
    data_parallel = DataParallel(
        fluid.default_main_program(), loss.name, [fluid.CPUPlace()], "CoeffNumDevice", sync_batch_norm=True
    )
    types = [op.type for op in data_parallel.replicated(1, ("x",)).program.operators() if "norm" in op.type]
    assert types == ["layer_norm", "sync_batch_norm", "sync_batch_norm_grad", "layer_norm_grad"]
    assert [kind for kind in registry.all_types() if registry.get(kind).synchronous] == ["batch_norm"]
