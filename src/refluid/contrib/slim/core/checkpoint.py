"""Checkpoints of a compression: a folder for each epoch, with the parameters and what the strategies have found."""

from __future__ import annotations

import os
import pickle
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from refluid.contrib.slim.core.strategy import Strategy
from refluid.contrib.slim.graph.executor import SlimGraphExecutor
from refluid.contrib.slim.log import logger_of
from refluid.saving.pickle_reader import read_pickle
from refluid.tensor.scope import scope_guard

if TYPE_CHECKING:
    from refluid.contrib.slim.core.context import Context

_logger = logger_of(__name__)
_PLAIN = (str, int, float, bool, type(None), np.ndarray, np.generic)


def save(
    context: Context,
    strategies: list[Strategy],
    folder: str,
    save_eval_model: bool,
    prune_infer_model: Sequence[Any] | None,
) -> None:
    """Save the training after an epoch.

    Args:
        save_eval_model: whether the network for testing is saved as well, as a model.
        prune_infer_model: (names of inputs, names of outputs) of a part of it that is saved, or None.
    """
    here = os.path.join(folder, str(context.epoch_id))
    os.makedirs(os.path.join(here, "model"), exist_ok=True)
    exe, model = SlimGraphExecutor(context.place), os.path.join(here, "eval_model")
    with scope_guard(context.scope):
        context.optimize_graph.save_persistables(os.path.join(here, "model"), exe)
        if save_eval_model:
            context.eval_graph.save_model(model, exe)
        if prune_infer_model:
            context.eval_graph.save_infer_model(model, exe, prune_infer_model, program_only=save_eval_model)
    context.to_file(os.path.join(here, "context"))
    with open(os.path.join(here, "strategies"), "wb") as file:
        pickle.dump([_plain_part(strategy) for strategy in strategies], file, protocol=2)
    _logger.info("saved a checkpoint to %s", here)


def restore(context: Context, strategies: list[Strategy], folder: str) -> None:
    """Go on where the last checkpoint in the folder was made, if there is one."""
    epochs = [int(name) for name in os.listdir(folder) if name.isdigit()] if os.path.isdir(folder) else []
    if not epochs:
        _logger.warning("there is no checkpoint in %s", folder)
        return
    here = os.path.join(folder, str(max(epochs)))
    context.from_file(os.path.join(here, "context"))
    context.epoch_id += 1
    with open(os.path.join(here, "strategies"), "rb") as file:
        states = read_pickle(file, file.name)
    for strategy, state in zip(strategies, states, strict=True):
        for name, value in state.items():
            strategy.__dict__.setdefault(name, value)  # the settings of today hold
        strategy.restore_from_checkpoint(context)
    with scope_guard(context.scope):
        context.optimize_graph.load_persistables(os.path.join(here, "model"), SlimGraphExecutor(context.place))
    _logger.info("went on from %s", here)


def _plain_part(strategy: Strategy) -> dict[str, Any]:
    """What a strategy has found, without the objects that its settings make anew."""
    return {name: value for name, value in strategy.__getstate__().items() if _plain(value)}


def _plain(value: object) -> bool:
    if isinstance(value, dict):
        return all(_plain(one) for one in (*value, *value.values()))
    if isinstance(value, list | tuple):
        return all(_plain(one) for one in value)
    return isinstance(value, _PLAIN)
