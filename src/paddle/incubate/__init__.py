"""paddle.incubate: what was on its way into 2.0."""

from paddle.incubate import hapi as hapi, reader as reader
