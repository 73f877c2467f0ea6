// The steps of a network, as those who plan them write them: executor/network/ in Python (steps.py has the same structures)
// and cpp/src/network/ in C++.
#pragma once

#include "winograd.h"

namespace {

struct Convolution {
    Kind kind;
    Image in, out, residual;  // a stride of `in` is that between the windows; no residual: data is null
    int64_t input;            // which of the run's inputs `in` is, or -1
    const int64_t* taps;      // offsets in the window: blocks of channels, rows, columns
    int64_t full_taps;        // those that have LANES channels; the others have `channels`
    int64_t other_taps, channels;
    const float *weights, *bias;
    int64_t images, rows, columns, blocks, rectify;
    int64_t tiles, groups;  // of one item of work
};

struct Pooling {
    Kind kind;
    Image in, out;
    int64_t images, blocks, rows, columns, in_rows, in_columns;
    int64_t height, width, stride_y, stride_x, pad_y, pad_x, average, exclusive, rectify;
};

struct Elementwise {  // ADDITION, RECTIFIER
    Kind kind;
    Image in, other, out;
    int64_t images, blocks, rows, columns, rectify;
};

struct Softmax {
    Kind kind;
    Image in, out;
    int64_t images, channels;
};

struct Transfer {  // LOAD, STORE: between the memory of a caller, [image][channel][row][column], and ours
    Kind kind;
    Image ours;
    int64_t index, images, channels, rows, columns, lanes;  // lanes: 1 or LANES
};

}  // namespace
