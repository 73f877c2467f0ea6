"""paddle.fluid.data_feeder: feeding samples."""

from refluid.data.feeder import DataFeeder as DataFeeder
