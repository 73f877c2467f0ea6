"""paddle.fluid.proto.profiler: protobuf messages of the profiler."""

from paddle.fluid.proto.profiler import profiler_pb2 as profiler_pb2
