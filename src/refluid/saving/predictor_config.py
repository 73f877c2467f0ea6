"""AnalysisConfig and NativeConfig: which model a predictor runs, and how."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from refluid.core.errors import ArgumentError
from refluid.core.places import CPUPlace, CUDAPlace, Place
from refluid.saving.predictor_passes import PassStrategy

if TYPE_CHECKING:
    from refluid.saving.predictor import PaddlePredictor


class AnalysisConfig:
    """The settings of a predictor: `AnalysisConfig(model_dir)`, or `AnalysisConfig(prog_file, params_file)`.

    Memory is always reused and oneDNN always used where it helps, so the switches for them change nothing. What another
    engine would have to do (TensorRT, Lite, quantising) is refused.

    Args:
        model_dir: the folder of the model; with params_file the file of its program.
        params_file: the file that holds all parameters.
    """

    class Precision(IntEnum):
        """What TensorRT would compute in: `enable_tensorrt_engine(precision_mode=...)`."""

        Float32, Int8, Half = range(3)

    Float32, Int8, Half = Precision

    def __init__(self, model_dir: str | None = None, params_file: str | None = None):
        self._dir = self._program = self._params = ""
        self._buffers: tuple[bytes, bytes] | None = None
        self._gpu: int | None = None
        self._threads: int | None = None
        self._optimize = self._feed_fetch = True
        self._names = self._silent = self._mkldnn = False
        self._pool_mb = 100
        self._passes = PassStrategy()
        if model_dir is not None:
            self.set_model(model_dir, *([params_file] if params_file is not None else []))

    # -- the model ----------------------------------------------------------------------------------------------

    def set_model(self, *paths: str) -> None:
        """A folder, or the files of the program and of the parameters."""
        if len(paths) not in (1, 2) or not all(isinstance(path, str) for path in paths):
            raise ArgumentError(f"set_model: expected a folder, or a program and a parameter file, got {paths!r}")
        self._dir, self._program, self._params = (paths[0], "", "") if len(paths) == 1 else ("", *paths)

    def set_model_buffer(self, program: bytes, program_size: int, params: bytes, params_size: int) -> None:
        """The contents of the two files."""
        self._buffers = bytes(program[:program_size]), bytes(params[:params_size])

    def set_prog_file(self, path: str) -> None:
        self._program = path

    def set_params_file(self, path: str) -> None:
        self._params = path

    def model_dir(self) -> str:
        return self._dir

    def prog_file(self) -> str:
        return self._program

    def params_file(self) -> str:
        return self._params

    def model_from_memory(self) -> bool:
        return self._buffers is not None

    @property
    def buffers(self) -> tuple[bytes, bytes] | None:
        return self._buffers

    # -- where and how ------------------------------------------------------------------------------------------

    def enable_use_gpu(self, memory_pool_init_size_mb: int, device_id: int = 0) -> None:
        self._gpu, self._pool_mb = device_id, memory_pool_init_size_mb

    def memory_pool_init_size_mb(self) -> int:
        """As given to `enable_use_gpu`; memory is taken as it is needed."""
        return self._pool_mb

    def disable_gpu(self) -> None:
        self._gpu = None

    def use_gpu(self) -> bool:
        return self._gpu is not None

    def gpu_device_id(self) -> int:
        return self._gpu or 0

    @property
    def place(self) -> Place:
        return CPUPlace() if self._gpu is None else CUDAPlace(self._gpu)

    def set_cpu_math_library_num_threads(self, count: int) -> None:
        if not isinstance(count, int) or count < 1:
            raise ArgumentError(f"set_cpu_math_library_num_threads: expected a number of threads, got {count!r}")
        self._threads = count

    def cpu_math_library_num_threads(self) -> int:
        return self._threads or 1

    @property
    def threads(self) -> int | None:
        """None: as many as the process uses."""
        return self._threads

    def switch_ir_optim(self, x: bool = True) -> None:
        """Whether plans are optimised: batch normalisations folded into convolutions, activations fused, and so on."""
        self._optimize = bool(x)

    def ir_optim(self) -> bool:
        return self._optimize

    def switch_use_feed_fetch_ops(self, x: bool = True) -> None:
        """True: `run`; False: `zero_copy_run` with tensors of the predictor."""
        self._feed_fetch = bool(x)

    def use_feed_fetch_ops_enabled(self) -> bool:
        return self._feed_fetch

    def switch_specify_input_names(self, x: bool = True) -> None:
        """Whether inputs of `run` are told apart by their names, not by their order."""
        self._names = bool(x)

    def specify_input_name(self) -> bool:
        return self._names

    def disable_glog_info(self) -> None:
        self._silent = True

    def glog_info_disabled(self) -> bool:
        return self._silent

    def pass_builder(self) -> PassStrategy:
        """The passes by name, to be edited; see PassStrategy."""
        return self._passes

    def delete_pass(self, name: str) -> None:
        """Leave out a pass."""
        self._passes.delete_pass(name)

    def enable_memory_optim(self) -> None:
        """Plans free every temporary after its last use, so there is nothing to turn on."""

    def enable_mkldnn(self) -> None:
        """The kernels use oneDNN wherever it is compiled in, so there is nothing more to turn on."""
        self._mkldnn = True

    def mkldnn_enabled(self) -> bool:
        return self._mkldnn

    def to_native_config(self) -> NativeConfig:
        """The same settings in the older form."""
        config = NativeConfig()
        config.model_dir, config.prog_file, config.param_file = self._dir, self._program, self._params
        config.use_gpu, config.device, config.specify_input_name = self.use_gpu(), self.gpu_device_id(), self._names
        config._threads = self._threads
        return config

    def enable_tensorrt_engine(self, *_: object, **__: object) -> None:
        raise ArgumentError(
            "enable_tensorrt_engine: there is no TensorRT here; leave the call out to run on the kernels"
        )

    def tensorrt_engine_enabled(self) -> bool:
        return False

    def enable_lite_engine(self, *_: object, **__: object) -> None:
        raise ArgumentError("enable_lite_engine: there is no Paddle Lite here; leave the call out")

    def lite_engine_enabled(self) -> bool:
        return False

    def enable_quantizer(self, *_: object, **__: object) -> None:
        raise ArgumentError("enable_quantizer: models are not quantised here; leave the call out")

    def predictor(self) -> PaddlePredictor:
        """What runs the model."""
        from refluid.saving.predictor import PaddlePredictor  # it takes configurations, so it comes after them

        return PaddlePredictor(self)


class NativeConfig:
    """The older configuration, as fields."""

    def __init__(self) -> None:
        self.model_dir = self.prog_file = self.param_file = ""
        self.use_gpu = self.specify_input_name = False
        self.device = 0
        self.fraction_of_gpu_memory = -1.0
        self._threads: int | None = None

    def set_cpu_math_library_num_threads(self, count: int) -> None:
        self._threads = count

    def cpu_math_library_num_threads(self) -> int:
        return self._threads or 1

    def analysis(self) -> AnalysisConfig:
        """The same settings as an AnalysisConfig."""
        config = AnalysisConfig()
        config.set_model(*([self.prog_file, self.param_file] if self.prog_file else [self.model_dir]))
        if self.use_gpu:
            config.enable_use_gpu(0, self.device)
        if self._threads is not None:
            config.set_cpu_math_library_num_threads(self._threads)
        config.switch_specify_input_names(self.specify_input_name)
        return config

    def predictor(self) -> PaddlePredictor:
        """What runs the model."""
        return self.analysis().predictor()
