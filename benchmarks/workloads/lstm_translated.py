"""The language model of lstm_fluid.py with its forward translated into a program."""

from paddle.fluid.dygraph import declarative
from workloads import lstm_fluid


class TranslatedModel(lstm_fluid.LanguageModel):
    forward = declarative(lstm_fluid.LanguageModel.forward)


def training():
    return lstm_fluid.imperative(TranslatedModel)
