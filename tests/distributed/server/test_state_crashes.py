"""A process that is killed while it writes its state: what it acknowledged is there after replay, and nothing else."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.distributed.ranks import TIMEOUT
from tests.distributed.server.crashing_writer import STEPS

WRITER = Path(__file__).with_name("crashing_writer.py")
BEFORE_IT_IS_KEPT = ("before_log", "inside_log")
IN_SNAPSHOTS = ("inside_snapshot", "before_snapshot_counts", "after_snapshot_counts")


def run(folder, schedules):
    done = subprocess.run(
        [sys.executable, str(WRITER), str(folder), json.dumps(schedules)],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def acknowledged(start):
    return [what[1] for what in start["told"] if what[0] == "acknowledged"]


def began(start):
    return next((tuple(what[1:]) for what in start["told"] if what[0] == "began"), None)


@pytest.fixture(scope="module")
def at_every_point(tmp_path_factory):
    points = [*(f"{p}:6" for p in (*BEFORE_IT_IS_KEPT, "after_log")), *(f"{p}:2" for p in IN_SNAPSHOTS), "after_finish"]
    # Pieces of a snapshot count singly: the second of the first snapshot, and the second of the second.
    points += ["inside_snapshot:5", "inside_snapshot:1"]
    return dict(zip(points, run(tmp_path_factory.mktemp("state"), [[p, ""] for p in points]), strict=True))


@pytest.mark.parametrize("point", BEFORE_IT_IS_KEPT)
def test_a_record_that_was_not_kept_is_dropped(at_every_point, point):
    killed, again = at_every_point[f"{point}:6"]
    assert killed["end"] == "killed" and acknowledged(killed) == [0, 1, 2, 3, 4]
    assert began(again) == (5, 2**5 - 1)
    assert again["told"][-1] == ["finished", 2**STEPS - 1]


def test_a_record_that_was_kept_is_there_before_it_is_acknowledged(at_every_point):
    killed, again = at_every_point["after_log:6"]
    assert killed["end"] == "killed" and acknowledged(killed) == [0, 1, 2, 3, 4]
    assert began(again) == (6, 2**6 - 1)
    assert again["told"][-1] == ["finished", 2**STEPS - 1]


@pytest.mark.parametrize("point", ["inside_snapshot:5", "before_snapshot_counts:2", "after_snapshot_counts:2"])
def test_a_snapshot_that_is_cut_short_loses_nothing(at_every_point, point):
    killed, again = at_every_point[point]
    assert killed["end"] == "killed" and acknowledged(killed) == [0, 1, 2, 3]
    assert began(again) == (4, 2**4 - 1)
    assert again["told"][-1] == ["finished", 2**STEPS - 1]


@pytest.mark.parametrize("point", ["inside_snapshot:1", "inside_snapshot:2"])
def test_a_first_snapshot_that_is_cut_short_is_as_if_nothing_had_been(at_every_point, point):
    killed, again = at_every_point[point]
    assert killed == {"told": [], "end": "killed"}
    assert began(again) == (0, 0)
    assert again["told"][-1] == ["finished", 2**STEPS - 1]


def test_a_finished_state_is_started_over(at_every_point):
    killed, again = at_every_point["after_finish"]
    assert killed["end"] == "killed" and acknowledged(killed) == list(range(STEPS))
    assert began(again) == (0, 0)


def test_nothing_is_lost_or_twice_under_random_kills(tmp_path):
    draw = random.Random(12)
    names = [*BEFORE_IT_IS_KEPT, "after_log", *IN_SNAPSHOTS]
    schedules = [[f"{draw.choice(names)}:{draw.randint(1, 6)}" for _ in range(4)] + [""] for _ in range(20)]
    for schedule, starts in zip(schedules, run(tmp_path, schedules), strict=True):
        kept = 0
        for start in starts:
            told = began(start)
            if told is not None:
                steps, total = told
                assert total == 2**steps - 1 and kept <= steps <= kept + 1, schedule
            kept = max([kept, *(step + 1 for step in acknowledged(start))])
            if start["end"] == 0:
                break
        assert start["end"] == 0 and start["told"][-1] == ["finished", 2**STEPS - 1], schedule
