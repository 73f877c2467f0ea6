"""Learn what people like with parameter servers: 2 servers hold the embeddings, 2 trainers see half of the clicks each.

    python examples/recommender.py --out build/recommender

This process starts the other four on this machine, waits for them, and then recommends with the exported model, which
needs no servers. Every person and every item has a hidden taste, and people click mostly on what is to their taste. The
rows of a person and of an item are learned so that their product tells the chance of a click. Nobody says how many
people there are: the table is declared with 10^9 rows, and servers make a row when its id is first met.
"""

import argparse
import os
import subprocess
import sys
import time

import numpy as np

import paddle.fluid as fluid

PEOPLE, ITEMS, TASTES, WIDTH = 2000, 300, 6, 8
BATCH, SERVERS, TRAINERS = 500, 2, 2
ITEM = 10**8  # ids of items begin here: people and items share a table


def tastes():
    chance = np.random.RandomState(1)
    return chance.randint(0, TASTES, PEOPLE), chance.randint(0, TASTES, ITEMS)


def clicks(count, seed):
    """Arrays of people, items and clicks: nine in ten on a shared taste, one in ten elsewhere."""
    chance, (of_people, of_items) = np.random.RandomState(seed), tastes()
    people, items = chance.randint(0, PEOPLE, count), chance.randint(0, ITEMS, count)
    shared = chance.rand(count) < 0.5  # half of what is shown is to the person's taste
    for index in np.flatnonzero(shared):
        items[index] = chance.choice(np.flatnonzero(of_items == of_people[people[index]]))
    clicked = chance.rand(count) < np.where(of_people[people] == of_items[items], 0.9, 0.1)
    return people, items, clicked


def feed(people, items, clicked):
    return {
        "person": people.reshape(-1, 1).astype("int64"),
        "item": (items + ITEM).reshape(-1, 1).astype("int64"),
        "clicked": clicked.reshape(-1, 1).astype("float32"),
    }


def network():
    """The chance of a click, and the loss."""
    person, item = (fluid.layers.data(name, [1], dtype="int64") for name in ("person", "item"))
    clicked = fluid.layers.data("clicked", [1])
    table = fluid.ParamAttr("table", initializer=fluid.initializer.Uniform(-0.2, 0.2, seed=4))
    rows = [
        fluid.layers.embedding(ids, [10**9, WIDTH], is_sparse=True, is_distributed=True, param_attr=table)
        for ids in (person, item)
    ]
    product = fluid.layers.reduce_sum(rows[0] * rows[1], dim=1, keep_dim=True)
    score = fluid.layers.fc(product, 1, param_attr=fluid.ParamAttr("scale", fluid.initializer.Constant(1.0)))
    loss = fluid.layers.mean(fluid.layers.sigmoid_cross_entropy_with_logits(score, clicked))
    return fluid.layers.sigmoid(score), loss


def take_part(settings):
    """Be the server or the trainer that the environment names."""
    chance, loss = network()
    fluid.optimizer.Adagrad(0.3).minimize(loss)
    role, number, servers = (os.environ[name] for name in ("TRAINING_ROLE", "NUMBER", "PADDLE_PSERVERS_IP_PORT_LIST"))
    transpiler = fluid.DistributeTranspiler()
    transpiler.transpile(int(number) if role == "TRAINER" else 0, pservers=servers, trainers=TRAINERS)
    exe = fluid.Executor(fluid.CPUPlace())
    if role == "PSERVER":
        main, startup = transpiler.get_pserver_programs(servers.split(",")[int(number)])
        exe.run(startup)
        exe.run(main)  # until all trainers have left
    else:
        train(exe, transpiler.get_trainer_program(), chance, loss, int(number), settings)


def train(exe, program, chance, loss, number, settings):
    exe.run(fluid.default_startup_program())
    losses = []
    for step in range(settings.steps):
        batch = clicks(BATCH, seed=100 + step * TRAINERS + number)  # every trainer has data of its own
        losses.append(exe.run(program, feed=feed(*batch), fetch_list=[loss])[0].item())
        if (step + 1) % 50 == 0:
            print(f"trainer {number}  step {step + 1:4}  loss {np.mean(losses[-50:]):.4f}", flush=True)
    if number == 0:  # before the last trainer leaves: the servers end then
        fluid.io.save_inference_model(settings.out, ["person", "item"], [chance], exe, program)
    exe.close()


def start(settings):
    """Start servers and trainers; wait until all have ended."""
    servers = ",".join(f"127.0.0.1:{settings.port + number}" for number in range(SERVERS))
    roles = [("PSERVER", number) for number in range(SERVERS)] + [("TRAINER", number) for number in range(TRAINERS)]
    common = {**os.environ, "PADDLE_PSERVERS_IP_PORT_LIST": servers, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, os.path.abspath(__file__), *sys.argv[1:]]
    started = [
        subprocess.Popen(command, env={**common, "TRAINING_ROLE": role, "NUMBER": str(number)})
        for role, number in roles
    ]
    try:
        codes = [process.wait(timeout=settings.limit) for process in started]
    finally:
        for process in started:
            process.kill()
            process.wait()
    if any(codes):
        raise SystemExit(f"{sum(map(bool, codes))} of {len(codes)} processes failed")


def recommend(settings):
    """Use the exported model on this machine: how well it tells clicks, and what it recommends."""
    exe = fluid.Executor(fluid.CPUPlace())
    program, feeds, targets = fluid.io.load_inference_model(settings.out, exe)

    def chances(people, items):
        fed = feed(people, items, people)
        return exe.run(program, feed={name: fed[name] for name in feeds}, fetch_list=targets)[0][:, 0]

    people, items, clicked = clicks(4000, seed=7)
    right = np.mean((chances(people, items) > 0.5) == clicked)
    print(f"\nright about {right:.1%} of new clicks (90% is the best that can be)")
    of_people, of_items = tastes()
    hits = 0
    for person in range(5):
        best = np.argsort(-chances(np.full(ITEMS, person), np.arange(ITEMS)))[:5]
        hits += int(np.sum(of_items[best] == of_people[person]))
        print(f"person {person}, taste {of_people[person]}: items {best.tolist()}, tastes {of_items[best].tolist()}")
    print(f"{hits} of 25 recommendations are to the person's taste")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=os.path.join("build", "recommender"), help="folder of the exported model")
    parser.add_argument("--steps", type=int, default=300, help="steps of each trainer (default: 300)")
    parser.add_argument("--port", type=int, default=17174, help="of the first server (default: 17174)")
    parser.add_argument("--limit", type=float, default=300, help="seconds until everything is given up (default: 300)")
    settings = parser.parse_args()
    if "TRAINING_ROLE" in os.environ:
        take_part(settings)
        return
    begun = time.time()
    start(settings)
    recommend(settings)
    print(f"{time.time() - begun:.0f} seconds in all")


if __name__ == "__main__":
    main()
