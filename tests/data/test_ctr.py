"""Data sets over MultiSlot files, and training from them. Batches and losses were seen in Fluid 1.8.5."""

import numpy as np
import pytest
from tests.leftovers import no_new_thread

from paddle import fluid
from refluid.data.ctr.dataset import DatasetFactory
from refluid.data.ctr.feed_desc import DataFeedDesc
from refluid.data.ctr.train import FetchHandler
from refluid.data.loading.data_loader import DataLoader

CPU = fluid.CPUPlace()
EVERY = ["QueueDataset", "InMemoryDataset"]
every_kind = pytest.mark.parametrize("kind", EVERY)


@pytest.fixture(autouse=True)
def program():
    with no_new_thread(), fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()):
        yield


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a").write_text("3 1 2 3 1 0.5 2 0.1 0.2\n1 4 1 1.5 2 0.3 0.4\n2 5 6 1 2.5 2 0.5 0.6\n")
    (tmp_path / "b").write_text("1 7 1 3.5 2 0.7 0.8\n\n2 8 9 1 4.5 2 0.9 1.0\n")
    return [str(tmp_path / "a"), str(tmp_path / "b")]


def variables():
    return [
        fluid.data("words", [None, 1], "int64", lod_level=1),
        fluid.data("label", [None, 1], "float32"),
        fluid.data("dense", [None, 2], "float32"),
    ]


def dataset(kind, files, use=None, threads=1, batch_size=2, load=True):
    made = DatasetFactory().create_dataset(kind)
    made.set_batch_size(batch_size)
    made.set_thread(threads)
    made.set_filelist(files)
    made.set_use_var(use or variables())
    if load and kind == "InMemoryDataset":
        made.load_into_memory()
    return made


def told(feed):
    words, label, dense = feed["words"], np.array(feed["label"]), np.array(feed["dense"])
    return np.array(words).ravel().tolist(), words.lod(), label.ravel().tolist(), dense.shape


@every_kind
@pytest.mark.parametrize("threads", [1, 3])
def test_batches(kind, files, threads):
    made = dataset(kind, files, threads=threads)
    expected = [
        ([1, 2, 3, 4], [[0, 3, 4]], [0.5, 1.5], (2, 2)),
        ([5, 6, 7], [[0, 2, 3]], [2.5, 3.5], (2, 2)),
        ([8, 9], [[0, 2]], [4.5], (1, 2)),
    ]
    assert [told(feed) for feed in made.feeds()] == expected
    assert [told(feed) for feed in made.feeds()] == expected


@every_kind
def test_files_go_through_the_pipe_command(kind, files):
    made = dataset(kind, files, batch_size=9, load=False)
    made.set_pipe_command("sed s/4/44/ | grep -v '^2 8'")
    if kind == "InMemoryDataset":
        made.load_into_memory()
    (feed,) = made.feeds()
    assert told(feed)[0] == [1, 2, 3, 44, 5, 6, 7]


def network():
    words, label, dense = variables()
    weights = fluid.ParamAttr(name="emb", initializer=fluid.initializer.Constant(0.1))
    pooled = fluid.layers.sequence_pool(fluid.layers.embedding(words, [100, 4], param_attr=weights), "sum")
    guess = fluid.layers.fc(pooled, 1, param_attr=fluid.initializer.Constant(0.1))
    loss = fluid.layers.mean(fluid.layers.square_error_cost(guess, label))
    fluid.optimizer.SGD(0.01).minimize(loss)
    return [words, label, dense], fluid.layers.reduce_sum(dense), loss


@every_kind
def test_training_equals_running_batch_by_batch(kind, files, capsys):
    use, total, loss = network()
    exe = fluid.Executor(CPU)
    results = []
    for whole in (True, False):
        exe.run(fluid.default_startup_program())
        made = dataset(kind, files, use)
        if whole:
            exe.train_from_dataset(
                dataset=made, fetch_list=[total, loss], fetch_info=["total", "loss"], print_period=1, debug=True
            )
        else:
            for feed in made.feeds():
                exe.run(feed=feed)
        results.append(np.array(fluid.global_scope().find_var("emb").get_tensor()))
    assert np.array_equal(*results) and results[0].std() > 0
    printed = capsys.readouterr().out
    assert [line for line in printed.splitlines() if line.startswith("total")] == [f"total\t{total.name}"] * 3
    assert "data: [1]" in printed and "data: [2.6]" in printed and "data: [1.9]" in printed
    assert "3 batches" in printed


@every_kind
def test_the_number_of_threads_does_not_change_a_training(kind, files):
    use, _, _ = network()
    exe = fluid.Executor(CPU)
    results = []
    for threads in (1, 3):
        exe.run(fluid.default_startup_program())
        exe.train_from_dataset(dataset=dataset(kind, files * 3, use, threads=threads), thread=threads)
        results.append(np.array(fluid.global_scope().find_var("emb").get_tensor()))
    assert np.array_equal(*results) and results[0].std() > 0


def test_inference_and_a_fetch_handler(files):
    use, total, _ = network()
    seen = []

    class Look(FetchHandler):
        def handler(self, res_dict):
            seen.append(float(res_dict["total"][0]))

    exe = fluid.Executor(CPU)
    exe.run(fluid.default_startup_program())
    test = fluid.default_main_program().clone(for_test=True)
    before = np.array(fluid.global_scope().find_var("emb").get_tensor())
    exe.infer_from_dataset(test, dataset("QueueDataset", files, use), fetch_handler=Look({"total": total}, 0))
    assert np.round(seen, 3).tolist() == [1.0, 2.6, 1.9]
    assert np.array_equal(before, np.array(fluid.global_scope().find_var("emb").get_tensor()))


def test_shuffling_follows_the_seed_and_loses_nothing(files):
    def order(seed):
        made = dataset("InMemoryDataset", files, batch_size=1)
        np.random.seed(seed)
        made.local_shuffle()
        return [told(feed)[2][0] for feed in made.feeds()]

    assert order(1) == order(1) and order(1) != order(3)
    assert sorted(order(1)) == [0.5, 1.5, 2.5, 3.5, 4.5]


def test_memory_is_counted_and_released(files):
    made = dataset("InMemoryDataset", files)
    assert made.get_memory_data_size() == 5
    made.global_shuffle()
    assert made.get_shuffle_data_size() == 5
    made.slots_shuffle(["label"])
    assert sorted(value for feed in made.feeds() for value in told(feed)[2]) == [0.5, 1.5, 2.5, 3.5, 4.5]
    made.release_memory()
    assert made.get_memory_data_size() == 0
    with pytest.raises(ValueError, match="call load_into_memory first"):
        list(made.feeds())


def test_loading_in_the_background(files):
    made = dataset("InMemoryDataset", files, load=False)
    made.preload_into_memory(2)
    made.wait_preload_done()
    assert made.get_memory_data_size() == 5
    made.set_filelist(["nowhere"])
    made.preload_into_memory()
    with pytest.raises(ValueError, match="there is no file nowhere"):
        made.wait_preload_done()


def test_a_loader_of_a_data_set(files):
    made = dataset("QueueDataset", files)
    items = list(DataLoader.from_dataset(made, fluid.cpu_places(1), drop_last=False))
    assert [told(item[0])[0] for item in items] == [[1, 2, 3, 4], [5, 6, 7], [8, 9]]
    assert len(list(DataLoader.from_dataset(made, CPU)())) == 2
    assert [len(item) for item in DataLoader.from_dataset(made, fluid.cpu_places(2), drop_last=False)] == [2, 1]


def test_hashes_of_64_bits(tmp_path):
    (tmp_path / "a").write_text("2 18446744073709551615 5\n")
    words = fluid.data("words", [None, 1], "int64", lod_level=1)
    (feed,) = dataset("QueueDataset", [str(tmp_path / "a")], [words]).feeds()
    assert np.array(feed["words"]).ravel().tolist() == [-1, 5]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("0 1 0.5 2 0.1 0.2", "a:1: slot words has 0 values; write a padding value"),
        ("3 1 2", "a:1: slot words announces 3 values, but 2 follow"),
        ("1 1", "a:1: slot label must begin with the number of its values, got 'the end of the line'"),
        ("1 1 x 0.5 2 0.1 0.2", "a:1: slot label must begin with the number of its values, got b'x'"),
        ("1 one 1 0.5 2 0.1 0.2", "a:1: slot words holds uint64 values"),
        ("1 1 1 0.5 2 0.1 0.2 7", "a:1: 1 values are left over after the slot dense"),
        ("1 1 1 0.5 1 0.1", "slot dense is dense with 2 values, but instance 0 of the batch has 1"),
    ],
)
@every_kind
def test_errors_name_the_line_and_the_slot(tmp_path, kind, line, says):
    (tmp_path / "a").write_text(line + "\n")
    with pytest.raises(ValueError, match=says):
        list(dataset(kind, [str(tmp_path / "a")]).feeds())


def test_other_errors(files, tmp_path):
    with pytest.raises(ValueError, match="expected one of QueueDataset, InMemoryDataset, .*, got 'X'"):
        DatasetFactory().create_dataset("X")
    with pytest.raises(ValueError, match="there is no file nowhere"):
        list(dataset("QueueDataset", ["nowhere"]).feeds())
    failing = dataset("QueueDataset", files)
    failing.set_pipe_command("exit 3")
    with pytest.raises(ValueError, match="'exit 3' ended with exit code 3"):
        list(failing.feeds())
    with pytest.raises(NotImplementedError, match="InMemoryDataset"):
        failing.local_shuffle()
    with pytest.raises(ValueError, match="call set_use_var first"):
        list(DatasetFactory().create_dataset().feeds())
    with pytest.raises(ValueError, match="must be made by DatasetFactory, got list"):
        fluid.Executor(CPU).train_from_dataset(dataset=[])
    with pytest.raises(ValueError, match="must be int64 or float32, got uint8"):
        dataset("QueueDataset", files, [fluid.data("byte", [None, 1], "uint8")])


def test_descriptions(files, tmp_path):
    text = dataset("InMemoryDataset", files).desc()
    assert 'name: "MultiSlotInMemoryDataFeed"\nbatch_size: 2\n' in text and "    shape: 2\n" in text
    path = tmp_path / "desc.proto"
    path.write_text(
        'name: "MultiSlotDataFeed"  # a comment\nbatch_size: 2\nmulti_slot_desc {\n  slots {\n    name: "words"\n'
        '    type: "uint64"\n    is_dense: false\n    is_used: true\n  }\n  slots {\n    name: "label"\n'
        '    type: "uint64"\n    is_dense: false\n    is_used: false\n  }\n}\n'
    )
    described = DataFeedDesc(str(path))
    described.set_batch_size(128)
    described.set_dense_slots(["words"])
    described.set_use_slots(["label"])
    assert described.desc() == (
        'name: "MultiSlotDataFeed"\nbatch_size: 128\nmulti_slot_desc {\n  slots {\n    name: "words"\n'
        '    type: "uint64"\n    is_dense: true\n    is_used: true\n  }\n  slots {\n    name: "label"\n'
        '    type: "uint64"\n    is_dense: false\n    is_used: true\n  }\n}\npipe_command: "cat"\n'
    )
    with pytest.raises(ValueError, match="there is no slot 'nope'; it has words, label"):
        described.set_dense_slots(["nope"])


@pytest.mark.parametrize("kind", ["QueueDataset", "InMemoryDataset"])
def test_a_data_set_without_files_has_no_batches(kind):
    x = fluid.layers.data("x", [1], dtype="int64")
    made = fluid.DatasetFactory().create_dataset(kind)
    made.set_use_var([x])
    with pytest.warns(UserWarning, match=f"{kind}: there are no files to read; call set_filelist first"):
        if kind == "InMemoryDataset":
            made.load_into_memory()
            assert made.get_memory_data_size() == 0
        fluid.Executor(fluid.CPUPlace()).train_from_dataset(fluid.default_main_program(), made)
