"""ConfigFactory: strategies and what they need, as a YAML file describes them."""

from __future__ import annotations

import importlib
import inspect
from types import ModuleType
from typing import Any

from refluid.contrib.slim.core.strategy import Strategy
from refluid.contrib.slim.distillation.distillers import FSPDistiller, L2Distiller, SoftLabelDistiller
from refluid.contrib.slim.distillation.strategy import DistillationStrategy
from refluid.contrib.slim.nas.light_nas import LightNASStrategy
from refluid.contrib.slim.prune.auto import AutoPruneStrategy
from refluid.contrib.slim.prune.pruner import StructurePruner
from refluid.contrib.slim.prune.sensitive import SensitivePruneStrategy
from refluid.contrib.slim.prune.uniform import UniformPruneStrategy
from refluid.contrib.slim.quantization.mkldnn import MKLDNNPostTrainingQuantStrategy
from refluid.contrib.slim.quantization.strategy import QuantizationStrategy
from refluid.contrib.slim.searcher.controller import SAController
from refluid.core.errors import ArgumentError, NotFoundError

PLUGINS = ["pruners", "quantizers", "distillers", "strategies", "controllers"]
_CLASSES: dict[str, type] = {
    known.__name__: known
    for known in (
        Strategy, StructurePruner, UniformPruneStrategy, SensitivePruneStrategy, AutoPruneStrategy, FSPDistiller,
        L2Distiller, SoftLabelDistiller, DistillationStrategy, QuantizationStrategy, MKLDNNPostTrainingQuantStrategy,
        LightNASStrategy, SAController,
    )
}  # fmt: skip
_SETTINGS = ("init_model", "checkpoint_path", "eval_epoch")


class ConfigFactory:
    """Makes the objects that a file describes: `instance(name)`, and `compressor`, the settings of a Compressor.

    Args:
        config: the path of a YAML file.
    """

    def __init__(self, config: str):
        self.instances: dict[str, Any] = {}
        self.compressor: dict[str, Any] = {}
        self.version: int | None = None
        self._parse_config(config)

    def instance(self, name: str) -> Any:
        return self.instances.get(name)

    def _parse_config(self, config: str) -> None:
        with open(config) as file:
            sections = _yaml().safe_load(file)
        for key, section in sections.items():
            if key == "version":
                self.version = int(section)
            elif key in PLUGINS:
                for name, attrs in section.items():
                    self._new_instance(name, attrs)
            elif key == "compressor":
                self._read_compressor(section)
            elif key == "include":
                for other in section:
                    self._parse_config(other.strip())

    def _read_compressor(self, section: dict[str, Any]) -> None:
        self.compressor["epoch"] = section["epoch"]
        self.compressor["strategies"] = [self.instance(name) for name in section.get("strategies", [])]
        self.compressor.update({name: section[name] for name in _SETTINGS if name in section})

    def _new_instance(self, name: str, attrs: dict[str, Any]) -> Any:
        """The object of this name; attributes that its class does not take are ignored."""
        if name not in self.instances:
            cls = _CLASSES.get(attrs["class"])
            if cls is None:
                known = ", ".join(_CLASSES)
                raise NotFoundError(f"ConfigFactory: {name} is of the class {attrs['class']!r}; there are {known}")
            parameters = inspect.signature(cls).parameters
            arguments = {key: self._resolved(value) for key, value in attrs.items() if key in parameters}
            self.instances[name] = cls(**arguments)
        return self.instances[name]

    def _resolved(self, value: object) -> Any:
        """A value of the file: the name of another object stands for it, and "none" for None."""
        if isinstance(value, list):
            return [self.instances.get(one, one) if isinstance(one, str) else one for one in value]
        if isinstance(value, str):
            return None if value.lower() == "none" else self.instances.get(value, value)
        return value


def _yaml() -> ModuleType:
    try:
        return importlib.import_module("yaml")
    except ImportError:
        raise ArgumentError("ConfigFactory: reading YAML files needs the package PyYAML: pip install PyYAML") from None
