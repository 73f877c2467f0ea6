"""The steps of a network as the C++ code reads them: structures of 64-bit numbers; see native/kernels/network.cpp."""

from __future__ import annotations

import ctypes

CONVOLUTION, POOLING, ADDITION, RECTIFIER, SOFTMAX, LOAD, STORE, WINOGRAD = range(8)


def _numbers(names: str) -> list[tuple[str, type]]:
    return [(name, ctypes.c_int64) for name in names.split()]


class Image(ctypes.Structure):
    """An address, and the strides between images, blocks of channels, rows and columns."""

    _fields_ = _numbers("data image block row column")


class Convolution(ctypes.Structure):
    _fields_ = [
        *_numbers("kind"),
        *((name, Image) for name in ("in_", "out", "residual")),
        *_numbers("input taps full_taps other_taps channels weights bias images rows columns blocks rectify"),
        *_numbers("tiles groups"),
    ]


class Winograd(ctypes.Structure):
    _fields_ = [
        *_numbers("kind"),
        *((name, Image) for name in ("in_", "out", "residual")),
        *_numbers("weights bias images rows columns in_blocks blocks rectify patches pairs"),
    ]


class Pooling(ctypes.Structure):
    _fields_ = [
        *_numbers("kind"),
        *((name, Image) for name in ("in_", "out")),
        *_numbers("images blocks rows columns in_rows in_columns"),
        *_numbers("height width stride_y stride_x pad_y pad_x average exclusive rectify"),
    ]


class Elementwise(ctypes.Structure):
    _fields_ = [
        *_numbers("kind"),
        *((name, Image) for name in ("in_", "other", "out")),
        *_numbers("images blocks rows columns rectify"),
    ]


class Softmax(ctypes.Structure):
    _fields_ = [*_numbers("kind"), *((name, Image) for name in ("in_", "out")), *_numbers("images channels")]


class Transfer(ctypes.Structure):
    _fields_ = [*_numbers("kind"), ("ours", Image), *_numbers("index images channels rows columns lanes")]


Step = Convolution | Winograd | Pooling | Elementwise | Softmax | Transfer
