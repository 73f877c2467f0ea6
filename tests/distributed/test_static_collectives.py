"""Collectives as operators of programs, between real processes."""

import numpy as np

import paddle.fluid as fluid
from tests.distributed.ranks import run

MEET = """
import numpy as np, os
import paddle.fluid as fluid
from paddle.fluid.layers import collective as c
from paddle.fluid.transpiler.collective import Collective

endpoints = os.environ["PADDLE_TRAINER_ENDPOINTS"].split(",")
rank = int(os.environ["PADDLE_TRAINER_ID"])
main, startup = fluid.default_main_program(), fluid.default_startup_program()

class Meeting(Collective):
    def _transpile_main_program(self):
        pass

def meet():
    Meeting(2).transpile(startup, main, rank, endpoints, endpoints[rank], False)
    exe = fluid.Executor()
    exe.run(startup)
    return exe
"""


def test_every_collective_has_its_operator(tmp_path):
    found = run(
        tmp_path,
        MEET
        + """
x = fluid.data("x", [4, 2])
w = fluid.layers.create_parameter([2], "float32", default_initializer=fluid.initializer.Constant(float(rank)))
made = [
    c._c_allreduce(x, reduce_type="sum"), c._c_allreduce(x, reduce_type="max", ring_id=1),
    c._c_allreduce(x, reduce_type="min"), c._c_allreduce(x, reduce_type="prob"), c._allreduce(x, reduce_type="prod"),
    c._c_allgather(x, 2), c._c_reducescatter(x, 2),
]
copy = fluid.layers.assign(x)
c._c_sync_comm_stream(c._c_broadcast(c._c_sync_calc_stream(copy), root=1), 0)
other = c._broadcast(fluid.layers.assign(x), 0)
made += [copy, other]
assert [list(v.shape) for v in made] == [[4, 2]] * 5 + [[8, 2], [2, 2], [4, 2], [4, 2]]
exe = meet()
value = np.arange(8, dtype="float32").reshape(4, 2) + 10 * rank
got = exe.run(main, {"x": value}, [*made, w])
for one in got:
    print(one.reshape(-1).tolist())
assert exe.run(main, {"x": value}, [made[0]])[0][0, 0] == 10
exe.run(startup)  # a second time: the rings are there
print("done")
""",
    )
    a = np.arange(8, dtype="float32")
    b = a + 10
    for rank, one in enumerate(found):
        *rows, done = one.lines()
        expected = [a + b, b, a, a * b, a * b, np.concatenate([a, b]), (a + b).reshape(2, 4)[rank], b, a, [0, 0]]
        assert [np.allclose(eval(row), want) for row, want in zip(rows, expected, strict=True)] == [True] * 10
        assert done == "done"


def test_programs_with_collectives_are_saved_and_printed_as_others():
    from refluid.saving.program_file import from_bytes, to_bytes

    x = fluid.data("x", [4, 2])
    fluid.layers.collective._c_allreduce(x)
    main = fluid.default_main_program()
    again = from_bytes(to_bytes(main), "program")
    assert [op.type for op in again.global_block().ops] == ["c_allreduce_sum"]
    assert "c_allreduce_sum" in str(main)
