"""layers.io.ListenAndServ, Send and Recv: a server and its client written by hand."""

import threading

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers
from refluid.core.errors import EnforceNotMet
from tests.distributed.ranks import TIMEOUT, free_ports


def server(endpoint):
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        answer = main.global_block().create_var(
            name="answer", shape=[2, 3], dtype="float32", persistable=True, stop_gradient=True
        )
        made = layers.io.ListenAndServ(endpoint, ["question"], optimizer_mode=False)
        with made.do():
            question = layers.data("question", [2, 3], append_batch_size=False)
            layers.assign(layers.scale(question, scale=10.0), answer)
    return main


def client(endpoint):
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        question = layers.data("question", [2, 3], append_batch_size=False)
        answer = main.global_block().create_var(name="answer", shape=[2, 3], dtype="float32", persistable=True)
        layers.io.Send(endpoint, [question])
        layers.io.Recv(endpoint, [answer])
    return main, answer


def test_a_server_answers_what_its_block_computes():
    endpoint = f"127.0.0.1:{free_ports(1)[0]}"
    program, scope = server(endpoint), fluid.Scope()
    served = threading.Thread(target=lambda: fluid.Executor(fluid.CPUPlace()).run(program, scope=scope), daemon=True)
    served.start()
    main, answer = client(endpoint)
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()):
        for step in range(3):
            question = np.full((2, 3), step, "float32")
            (found,) = exe.run(main, feed={"question": question}, fetch_list=[answer])
            np.testing.assert_array_equal(found, 10 * question)
    exe.close()
    served.join(TIMEOUT)
    assert not served.is_alive()


def test_what_they_refuse():
    with fluid.program_guard(fluid.Program()):
        with pytest.raises(EnforceNotMet, match="Send: send_vars must be a list of variables, got str"):
            layers.io.Send("127.0.0.1:1", "x")
        with pytest.raises(EnforceNotMet, match="Recv: get_vars must be a list of variables, got str"):
            layers.io.Recv("127.0.0.1:1", "x")
        with pytest.raises(EnforceNotMet, match="server must be a ListenAndServ, got str"):
            layers.io.BlockGuardServ("x")
