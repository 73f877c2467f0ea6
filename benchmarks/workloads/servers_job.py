"""Steps of trainer 0 of 2, beside 2 parameter servers: the works of servers_fluid.py, a thread for each process."""

import atexit

from workloads import job

job.one_thread()
from workloads import servers_fluid  # noqa: E402

LONGEST = 300  # seconds that the other trainer goes on, if nobody kills it


def _trainer(work, mode):
    endpoints = job.free_endpoints(2)
    about = (work, mode, ",".join(endpoints), 2, LONGEST)
    for server in [job.start("servers_fluid.py", "pserver", number, *about) for number in range(2)]:
        job.wait_for("listening", server)
    job.start("servers_fluid.py", "trainer", 1, *about)
    transpiler, loss = servers_fluid.transpiled(0, work, mode, ",".join(endpoints), 2)
    step, leave = servers_fluid.joined(transpiler, loss, 0, work, mode)
    atexit.register(leave)
    return step


def ctr_sync():
    return _trainer("ctr", "sync")


def ctr_async():
    return _trainer("ctr", "async")


def mlp_sync():
    return _trainer("mlp", "sync")
