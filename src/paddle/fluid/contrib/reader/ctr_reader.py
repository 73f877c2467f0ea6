"""paddle.fluid.contrib.reader.ctr_reader: files of clicks, read inside a program (1.5)."""

from refluid.data.ctr.reader import ctr_reader as ctr_reader
