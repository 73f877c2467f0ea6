"""paddle.batch: samples in lists of equal length."""

from refluid.data.batch import batch as batch
