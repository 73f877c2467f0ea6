"""A controller that listens, and agents that ask it."""

import socket

import pytest

from paddle.fluid.contrib.slim.nas import ControllerServer, SearchAgent, SearchSpace
from paddle.fluid.contrib.slim.searcher import EvolutionaryController, SAController
from refluid.core.errors import EnforceNotMet


@pytest.fixture
def controller():
    made = SAController()
    made.reset([4, 5], [1, 1])
    return made


@pytest.fixture
def server(controller):
    made = ControllerServer(controller, key="secret")
    made.start()
    yield made
    made.close()


def test_a_server_without_an_address_listens_on_this_machine_alone(server):
    assert server.ip() == "127.0.0.1" and server.port() > 0


def test_an_agent_tells_rewards_and_gets_tokens(server, controller):
    agent = SearchAgent(server.ip(), server.port(), key="secret")
    tokens = agent.next_tokens()
    assert len(tokens) == 2 and tokens[0] < 4 and tokens[1] < 5
    following = agent.update(tokens, 0.5)
    assert controller._best_tokens == tokens and controller._max_reward == 0.5
    assert sum(a != b for a, b in zip(tokens, following)) == 1


def test_messages_without_the_key_are_passed_over(server, controller):
    stranger = SearchAgent(server.ip(), server.port(), key="guess")
    with pytest.raises(EnforceNotMet, match="gave no tokens; is the key 'guess' its own"):
        stranger.update([0, 0], 1.0)
    with socket.create_connection((server.ip(), server.port())) as noise:
        noise.send(b"\xff\xff")
        assert noise.recv(16) == b""
    assert controller._iter == 0
    assert SearchAgent(server.ip(), server.port(), key="secret").update([0, 0], 0.1)


def test_what_a_subclass_has_to_say_is_named():
    with pytest.raises(NotImplementedError, match=r"SearchSpace\.create_net"):
        SearchSpace().create_net([1])
    with pytest.raises(NotImplementedError, match=r"EvolutionaryController\.next_tokens"):
        EvolutionaryController().next_tokens()
