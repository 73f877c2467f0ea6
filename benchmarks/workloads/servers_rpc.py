"""The CTR network of servers_fluid.py with torch.distributed.rpc: parameters on 2 servers, 2 trainers, synchronous.

Each server has the rows of half of the ids in an nn.Embedding with an optimizer of its own, server 0 also the dense
network. A trainer asks both servers for the rows of its batch, computes, and sends each server the gradients of what
it holds; servers step once both trainers have sent, as in PyTorch's tutorial on batched RPC.

    python servers_rpc.py NUMBER PORT        # the process of that rank: 0 is the trainer that is timed
"""

import atexit
import os
import sys
import threading

import numpy as np
import torch
import torch._dynamo  # the first optimizer loads it
import torch.distributed.rpc as rpc
import torch.nn.functional as F
from torch import nn

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from workloads import job

ROWS, WIDTH, SLOTS, DENSE, BATCH = 1000000, 16, 26, 13, 256
NAMES = ["trainer0", "trainer1", "server0", "server1"]
RATE = 0.1


def network():
    layers, width = [], SLOTS * WIDTH + DENSE
    for size in (400, 400, 400):
        layers += [nn.Linear(width, size), nn.ReLU()]
        width = size
    return nn.Sequential(*layers, nn.Linear(width, 2))


class Server:
    """What one server holds."""

    made = None

    def __init__(self, with_network):
        self.table = nn.Embedding(ROWS // 2, WIDTH, sparse=True)
        nn.init.uniform_(self.table.weight, -0.01, 0.01)
        self.dense = network() if with_network else nn.Sequential()
        self.optimizer = torch.optim.SGD([*self.table.parameters(), *self.dense.parameters()], lr=RATE)
        self.lock, self.sent, self.done = threading.Lock(), 0, torch.futures.Future()

    def take(self, ids, gradient, dense):
        """Add the gradients of a trainer; the last one steps. The future has the dense parameters of the next step."""
        with self.lock:
            self._add(self.table.weight, torch.sparse_coo_tensor(ids[None], gradient / 2, self.table.weight.shape))
            for parameter, grad in zip(self.dense.parameters(), dense):
                self._add(parameter, grad / 2)
            self.sent += 1
            done = self.done
            if self.sent == 2:
                self.optimizer.step()
                self.optimizer.zero_grad(set_to_none=True)
                self.sent, self.done = 0, torch.futures.Future()
                done.set_result([parameter.detach() for parameter in self.dense.parameters()])
        return done

    @staticmethod
    def _add(parameter, gradient):
        parameter.grad = gradient if parameter.grad is None else parameter.grad + gradient


def look_up(ids):
    with torch.no_grad():
        return Server.made.table(ids)


def parameters():
    return [parameter.detach() for parameter in Server.made.dense.parameters()]


@rpc.functions.async_execution
def update(ids, gradient, dense):
    return Server.made.take(ids, gradient, dense)


def batches(number):
    rng = np.random.RandomState(number)
    samples = []
    for _ in range(8):
        ids = torch.from_numpy(rng.randint(0, ROWS, (BATCH, SLOTS)).astype("int64"))
        dense = torch.from_numpy(rng.rand(BATCH, DENSE).astype("float32"))
        samples.append((ids, dense, torch.ones(BATCH, dtype=torch.int64)))
    return samples


class Trainer:
    def __init__(self, number):
        self.feeds, self.steps, self.network = batches(number), 0, network()
        self.put(rpc.rpc_sync("server0", parameters))

    def put(self, values):
        for parameter, value in zip(self.network.parameters(), values):
            parameter.data, parameter.grad = value, None

    def step(self):
        ids, dense, label = self.feeds[self.steps % len(self.feeds)]
        self.steps += 1
        flat, rows = ids.reshape(-1), torch.empty(ids.numel(), WIDTH)
        mine = [torch.nonzero(flat % 2 == server)[:, 0] for server in (0, 1)]
        asked = [rpc.rpc_async(f"server{s}", look_up, (flat[rows_there] // 2,)) for s, rows_there in enumerate(mine)]
        for rows_there, answer in zip(mine, asked):
            rows[rows_there] = answer.wait()
        rows.requires_grad_(True)
        loss = F.cross_entropy(self.network(torch.cat([rows.reshape(BATCH, -1), dense], 1)), label)
        loss.backward()
        sent = []
        for server, rows_there in enumerate(mine):
            gradients = [parameter.grad for parameter in self.network.parameters()] if server == 0 else []
            sent.append(
                rpc.rpc_async(f"server{server}", update, (flat[rows_there] // 2, rows.grad[rows_there], gradients))
            )
        parameters, _ = torch.futures.wait_all(sent)
        self.put(parameters)
        return loss.item()


def join(number, port):
    torch.set_num_threads(1)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    if number >= 2:
        Server.made = Server(with_network=number == 2)
    rpc.init_rpc(NAMES[number], rank=number, world_size=len(NAMES))


def ctr_sync():
    job.one_thread()
    port = job.free_endpoints(1)[0].split(":")[1]
    for number in (1, 2, 3):
        job.start("servers_rpc.py", number, port)
    # pickled calls name their module, which is __main__ in the processes that run this file
    for function in (look_up, parameters, update, Trainer):
        function.__module__ = "workloads.servers_rpc"
    join(0, port)
    atexit.register(rpc.shutdown, graceful=False)  # before the others are killed
    return Trainer(0).step


def main():
    sys.modules["workloads.servers_rpc"] = sys.modules["__main__"]
    number, port = int(sys.argv[1]), sys.argv[2]
    join(number, port)
    if number == 1:
        trainer = Trainer(number)
        while True:
            trainer.step()
    threading.Event().wait()


if __name__ == "__main__":
    main()
