"""paddle.incubate: what was on its way into 2.0."""

from paddle.incubate import reader as reader
