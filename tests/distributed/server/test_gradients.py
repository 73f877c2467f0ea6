"""What servers take from trainers, and by which name."""

from __future__ import annotations

import pytest
import torch

from refluid.distributed.server.gradients import Gradients
from refluid.distributed.server.service import Service
from refluid.distributed.server.transport import Refused
from tests.distributed.server.programs import server_program


def gradients(trainers: int) -> Gradients:
    _, main = server_program("127.0.0.1:1", trainers, {"w": [2]}, 1.0)
    return Gradients(Service.of(main.global_block().ops[-1]))


def test_a_single_trainer_sends_gradients_without_its_number() -> None:
    sent = torch.ones(2)
    assert gradients(1).taken(0, {"w@GRAD": sent})["w@GRAD.trainer_0"] is sent
    assert gradients(1).taken(0, {"w@GRAD.trainer_0": sent})["w@GRAD.trainer_0"] is sent


def test_a_trainer_of_another_program_is_refused() -> None:
    with pytest.raises(Refused, match=r"lacks w@GRAD.trainer_1 and has w@GRAD.trainer_0, which this server does not"):
        gradients(2).taken(1, {"w@GRAD.trainer_0": torch.ones(2)})
    with pytest.raises(Refused, match=r"sends w@GRAD.trainer_1 of shape \[3\], not \[2\]"):
        gradients(2).taken(1, {"w@GRAD.trainer_1": torch.ones(3)})
