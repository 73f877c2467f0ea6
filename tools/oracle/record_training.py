"""Write tests/fixtures/training/*.json from the real Fluid 1.8.5: python tools/oracle/record_training.py"""

import os

import numpy as np
from arrays import array, number, write
from imperative import OPTIMIZERS, train
from rates import IMPERATIVE, STATIC, imperative_rates, static_rates
from training import TRAININGS, run

TARGET = os.path.join(os.path.dirname(__file__), "..", "..", "tests", "fixtures", "training")


def plain(value):
    if isinstance(value, np.ndarray):
        return array(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return number(value)


def main():
    os.makedirs(TARGET, exist_ok=True)
    for name in TRAININGS:
        write(os.path.join(TARGET, name + ".json"), plain(run(name)))
    for model in ("Digits", "Block"):
        for optimizer in OPTIMIZERS if model == "Digits" else ["adam"]:
            name = "imperative_%s_%s.json" % (model.lower(), optimizer)
            write(os.path.join(TARGET, name), plain(train(model, optimizer)))
    rates = {
        "static": {name: static_rates(name) for name in STATIC},
        "imperative": {name: imperative_rates(name) for name in IMPERATIVE},
    }
    write(os.path.join(TARGET, "learning_rates.json"), plain(rates))


if __name__ == "__main__":
    main()
