"""The whole life of a small cluster: 2 servers and 2 trainers start, train gru4rec_fluid.py and export it."""

import shutil
import tempfile

from workloads import job

job.one_thread()


def cluster():
    def step():
        endpoints, folder = ",".join(job.free_endpoints(2)), tempfile.mkdtemp()
        try:
            started = [job.start("gru4rec_fluid.py", role, number, endpoints, 2, folder) for role, number in ROLES]
            for trainer in started[2:]:
                job.wait_for("trained", trainer)
                trainer.wait()
        finally:
            shutil.rmtree(folder)

    return step


ROLES = [("pserver", 0), ("pserver", 1), ("trainer", 0), ("trainer", 1)]
