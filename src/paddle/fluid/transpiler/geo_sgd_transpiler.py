"""paddle.fluid.transpiler.geo_sgd_transpiler: trainers that exchange now and then."""

from refluid.distributed.transpile.transpiler import GeoSgdTranspiler as GeoSgdTranspiler

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
