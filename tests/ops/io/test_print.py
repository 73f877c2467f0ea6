"""What print prints, and how often."""

import pytest
import torch

from refluid.ops import registry
from refluid.ops.io.print import FirstN
from refluid.tensor.lod import LoD

QUIET = {f"print_tensor_{what}": False for what in ("name", "type", "shape", "lod")}
LOUD = dict.fromkeys(QUIET, True)
PRINT = registry.get("print").kernel
PRINT_GRAD = registry.get("print_grad").kernel


def test_everything_is_printed_of_a_tensor(capsys: pytest.CaptureFixture[str]) -> None:
    first_n = FirstN(-1, "fc_0.tmp_1")
    PRINT(
        torch.tensor([[0.5], [2.0], [3.0]]),
        LoD.from_lengths([[2, 1]]),
        first_n=first_n,
        message="hello",
        summarize=2,
        **LOUD,
    )
    first, *lines = capsys.readouterr().out.splitlines()
    seconds, message, place = first.split("\t")
    assert seconds.isdigit() and (message, place) == ("hello", "The place is:CPUPlace")
    assert lines == [
        "Tensor[fc_0.tmp_1]",
        "\tshape: [3,1,]",
        "\tdtype: f",
        "\tLoD: [[ 0,2,3, ]]",
        "\tdata: 0.5,2,",
    ]


def test_the_gradient_has_the_name_of_the_variable(capsys: pytest.CaptureFixture[str]) -> None:
    PRINT_GRAD(torch.ones(1), first_n=FirstN(-1, "x"), message="", summarize=-1, print_phase="BOTH", **LOUD)
    assert "\nTensor[x@GRAD]\n" in capsys.readouterr().out


def test_phases_choose_between_the_tensor_and_its_gradient(capsys: pytest.CaptureFixture[str]) -> None:
    options = {"first_n": FirstN(-1), "message": "", "summarize": -1, "print_phase": "backward", **QUIET}
    PRINT(torch.ones(1), None, **options)
    assert capsys.readouterr().out == ""
    PRINT_GRAD(torch.ones(2, dtype=torch.int64), **options)
    assert capsys.readouterr().out.endswith("\n\tdata: 1,1,\n")


def test_each_operator_counts_for_itself(capsys: pytest.CaptureFixture[str]) -> None:
    one, other = FirstN(2), FirstN(2)
    for first_n in (one, one, one, other):
        PRINT(torch.ones(1), None, first_n=first_n, message="", summarize=-1, **QUIET)
    assert capsys.readouterr().out.count("data") == 3


def test_the_tensor_and_its_gradient_are_counted_apart(capsys: pytest.CaptureFixture[str]) -> None:
    options = {"first_n": FirstN(1), "message": "", "summarize": -1, **QUIET}
    for _ in range(3):
        PRINT(torch.ones(1), None, **options)
        PRINT_GRAD(torch.ones(1), print_phase="BOTH", **options)
    assert capsys.readouterr().out.count("data") == 2


def test_plain_numbers_count_by_the_attributes(capsys: pytest.CaptureFixture[str]) -> None:
    for message in ("a", "a", "b"):
        PRINT(torch.ones(1), None, first_n=1, message=message, summarize=-1, **QUIET)
    messages = [line.split("\t")[1] for line in capsys.readouterr().out.splitlines() if "place" in line]
    assert messages == ["a", "b"]
