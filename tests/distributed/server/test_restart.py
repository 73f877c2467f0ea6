"""Servers that are killed and started again with the same command and their state folder."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.distributed.server.jobs import Job, started_again, well_ended
from tests.distributed.server.test_transpiled_training import SERVER, TRANSPILED

TRAINER = (
    TRANSPILED
    + """
main = t.get_trainer_program()
exe.run(fluid.default_startup_program())
train(main, slice(index * 4, index * 4 + 4))
import hashlib
for parameter in fluid.default_main_program().all_parameters():
    value = np.array(fluid.global_scope().find_var(parameter.name).get_tensor())
    print(parameter.name, hashlib.sha256(value.tobytes()).hexdigest())
exe.close()
"""
)


def trained(folder: Path, crashes: list[str], **more: str) -> tuple[list[str], list[list[str]]]:
    """What the servers have said, and what the trainers have printed; server i dies once, at crashes[i]."""
    folder.mkdir()
    job = Job(folder, SERVER, TRAINER, servers=2, trainers=2, more=more)
    try:
        servers = [job.start("server", i, REFLUID_CRASH_AT=crashes[i]) for i in range(2)]
        trainers = [job.start("trainer", i) for i in range(2)]
        with ThreadPoolExecutor(2) as pool:
            servers = list(
                pool.map(lambda i: started_again(job, i, servers[i]) if crashes[i] else servers[i], range(2))
            )
        found = well_ended([*trainers, *servers])
    finally:
        job.close()
    return [one.err for one in found[2:]], [one.out.splitlines() for one in found[:2]]


def test_training_goes_on_with_the_bits_of_a_run_without_the_fault(tmp_path: Path) -> None:
    _, expected = trained(tmp_path / "calm", ["", ""])
    state = {"REFLUID_PSERVER_STATE_DIR": str(tmp_path / "state"), "REFLUID_PSERVER_STATE_RECORDS": "8"}
    said, found = trained(tmp_path / "faulty", ["after_log:11", "inside_snapshot:30"], **state)
    for line in said:
        assert "goes on from its state folder" in line and "all trainers have left after 5 steps" in line
    assert found == expected
