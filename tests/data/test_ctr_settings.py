"""The settings of data sets over files: marks of lines, page views, merging, remote files. Sizes were seen in 1.8.5."""

import os
from itertools import pairwise

import numpy as np
import pytest

from paddle import fluid

PLAIN = ["2 1 2 1 0.5", "1 3 1 1.5", "3 4 5 6 1 2.5"]
WORDS = [[1, 2], [3], [4, 5, 6]]


def made(tmp_path, lines, kind="InMemoryDataset", load=True, **settings):
    path = tmp_path / "lines"
    path.write_text("\n".join(lines) + "\n")
    words, label = fluid.data("words", [None, 1], "int64", lod_level=1), fluid.data("label", [None, 1])
    dataset = fluid.DatasetFactory().create_dataset(kind)
    dataset.set_use_var([words, label])
    dataset.set_filelist([str(path)])
    for name, value in settings.items():
        getattr(dataset, f"set_{name}")(*value if isinstance(value, tuple) else [value])
    if load:
        dataset.load_into_memory()
    return dataset


def words_of(dataset):
    """The words of every instance."""
    feeds = fluid.io.DataLoader.from_dataset(dataset, fluid.cpu_places(1), drop_last=False)
    found = []
    for (feed,) in feeds:
        edges = feed["words"].lod()[0]
        found += [np.array(feed["words"]).ravel()[a:b].tolist() for a, b in pairwise(edges)]
    return found


def log_key(search, cmatch=222, rank=1):
    return f"{'0' * 11}{cmatch:03x}{rank:02x}{search:016x}"


@pytest.mark.parametrize("marks, settings", [
    ("1 id{}", {"parse_ins_id": True}), ("1 words{}", {"parse_content": True}), ("1 {:032x}", {"parse_logkey": True}),
    ("1 id 1 words{}", {"parse_ins_id": True, "parse_content": True}),
])  # fmt: skip
def test_lines_may_begin_with_marks(tmp_path, marks, settings):
    lines = [f"{marks.format(i)} {line}" for i, line in enumerate(PLAIN)]
    assert words_of(made(tmp_path, lines, **settings)) == WORDS
    with pytest.raises(ValueError, match="must begin with `1 word` for each of"):
        made(tmp_path, ["2 1 2 1 0.5"], **settings)


def test_instances_of_a_search_are_a_page_view(tmp_path):
    lines = [f"1 {log_key(search)} {line}" for search, line in zip((7, 8, 7), PLAIN, strict=True)]
    dataset = made(tmp_path, lines, parse_logkey=True, enable_pv_merge=True)
    assert dataset.get_pv_data_size() == 0
    dataset.preprocess_instance()
    assert (dataset.get_pv_data_size(), dataset.get_memory_data_size()) == (2, 0)
    dataset.postprocess_instance()
    assert sorted(words_of(dataset)) == WORDS
    dataset.set_merge_by_sid(False)
    dataset.preprocess_instance()
    assert dataset.get_pv_data_size() == 3


def test_a_batch_of_page_views_tells_where_the_others_are(tmp_path):
    rows = [(7, 222, 2), (8, 100, 1), (7, 223, 1), (8, 222, 3)]
    lines = [f"1 {log_key(*row)} 1 {i} 1 0.5" for i, row in enumerate(rows)]
    settings = {"parse_logkey": True, "enable_pv_merge": True, "rank_offset": "offsets", "pv_batch_size": 2}
    dataset = made(tmp_path, lines, **settings)
    dataset.preprocess_instance()
    dataset.set_current_phase(1)
    (feed,) = dataset.feeds()
    assert np.array(feed["words"]).ravel().tolist() == [0, 2, 1, 3]
    assert np.array(feed["offsets"]).tolist() == [
        [2, 1, 1, 2, 0, 0, 0], [1, 1, 1, 2, 0, 0, 0], [-1, 0, 0, 0, 0, 0, 0], [3, 0, 0, 0, 0, 3, 3],
    ]  # fmt: skip


def test_instances_of_a_line_id_are_merged_after_the_shuffle(tmp_path):
    lines = ["1 a 2 1 2 1 0.5", "1 b 1 3 1 1.5", "1 a 3 4 5 6 1 0.5"]
    dataset = made(tmp_path, lines, merge_by_lineid=-1)
    dataset.global_shuffle()
    assert sorted(words_of(dataset)) == [[1, 2, 4, 5, 6], [3]]
    dataset = made(tmp_path, lines, merge_by_lineid=2)
    with pytest.warns(UserWarning, match="1 instances are left out: their ids do not occur 2 times"):
        dataset.global_shuffle()
    assert words_of(dataset) == [[1, 2, 4, 5, 6]]


def test_features_are_evaluated_by_shuffling_a_slot(tmp_path):
    dataset = made(tmp_path, PLAIN, fea_eval=(2, True))
    dataset.slots_shuffle(["words"])
    assert len(words_of(dataset)) == 3 and all(words in WORDS for words in words_of(dataset))
    dataset = made(tmp_path, PLAIN, fea_eval=(2, False))
    dataset.slots_shuffle(["words"])
    assert words_of(dataset) == WORDS


def test_remote_files_are_read_by_the_download_command(tmp_path):
    dataset = made(tmp_path, PLAIN, "QueueDataset", False, hdfs_config=("hdfs://host", "user,password"))
    dataset.set_filelist(["hdfs:/day/part"])
    dataset.set_download_cmd(f"cat {tmp_path / 'lines'} #")
    assert words_of(dataset) == WORDS
    program = tmp_path / "hadoop"
    program.write_text(f'#!/bin/sh\n[ "$*" = "fs -D fs.default.name=hdfs://host -D hadoop.job.ugi=user,password -text '
                       f'hdfs:/day/part" ] && cat {tmp_path / "lines"}\n')  # fmt: skip
    program.chmod(0o755)
    dataset.set_download_cmd("")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        assert words_of(dataset) == WORDS


def test_a_description_has_what_was_set(tmp_path):
    settings = {"pv_batch_size": 3, "rank_offset": "offsets", "feed_type": "PaddleBoxDataFeed"}
    text = made(tmp_path, PLAIN, load=False, **settings).desc()
    assert text.startswith('name: "PaddleBoxDataFeed"\nbatch_size: 1\n') and "is_dense: false" not in text
    assert text.endswith('pipe_command: "cat"\nrank_offset: "offsets"\npv_batch_size: 3\n')


def test_a_data_set_of_passes(tmp_path):
    dataset = made(tmp_path, PLAIN, "BoxPSDataset", False, date="20200831")
    dataset.preload_into_memory()
    dataset.begin_pass()
    assert words_of(dataset) == WORDS
    dataset.end_pass(need_save_delta=False)
    with pytest.warns(UserWarning, match="begin_pass was not called"):
        dataset.end_pass(need_save_delta=False)


def test_a_local_table_has_a_row_for_every_id(tmp_path):
    dataset = made(tmp_path, PLAIN, generate_unique_feasigns=(True, 2))
    dataset.generate_local_tables_unlock(0, 4, 1, 1, 2)
    assert sorted(dataset.local_tables[0]) == [1, 2, 3, 4, 5, 6] and dataset.local_tables[0][1].shape == (4,)
