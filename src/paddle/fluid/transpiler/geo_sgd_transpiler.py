"""paddle.fluid.transpiler.geo_sgd_transpiler: trainers that exchange now and then."""

from refluid.distributed.transpile.transpiler import GeoSgdTranspiler as GeoSgdTranspiler
