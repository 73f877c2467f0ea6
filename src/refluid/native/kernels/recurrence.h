// What the recurrent kernels share: products of a few rows with packed weights, and sequences shared among threads.
//
// A thread goes through all steps of its sequences without waiting for the others.
#pragma once

#include <cstring>
#include <vector>

#include "floats.h"
#include "openmp.h"

namespace recurrence {

using namespace floats;

// -- products -------------------------------------------------------------------------------------------------------

// A matrix [depth, columns] as panels of VECTORS vectors of columns, each in the order in which a product reads it.
// `at(k, v, column)` is the element of row k that is in vector v of the panel and belongs to unit `column`.
template <class T, int VECTORS>
class Panels {
public:
    static constexpr int ROWS = 12 / VECTORS;  // of a product: 12 vectors of sums stay in registers

    // The vectors of a panel are those of several matrices for the same units, or, if `together`, neighbours of one.
    template <class At>
    Panels(int64_t depth, int64_t units, bool together, const At& at) : depth_(depth) {
        const int64_t step = together ? VECTORS * LANES<T> : LANES<T>;
        data_.resize((units + step - 1) / step * depth * VECTORS * LANES<T> + LANES<T>);
        // Aligned to vectors: every load of weights would else touch two lines.
        start_ = reinterpret_cast<T*>((reinterpret_cast<uintptr_t>(data_.data()) + BYTES - 1) / BYTES * BYTES);
        T* to = start_;
        for (int64_t first = 0; first < units; first += step)
            for (int64_t k = 0; k < depth; k++)
                for (int v = 0; v < VECTORS; v++)
                    for (int lane = 0; lane < LANES<T>; lane++, to++) {
                        const int64_t unit = first + (together ? v * LANES<T> : 0) + lane;
                        if (unit < units) *to = at(k, v, unit);
                    }
    }

    // The product of `rows` rows, at most ROWS, with a panel: sums[row][vector].
    void multiply(const T* from, int64_t stride, int64_t rows, int64_t panel, Vector<T> (*sums)[VECTORS]) const {
        const T* weights = start_ + panel * depth_ * VECTORS * LANES<T>;
        choose<ROWS>(from, stride, rows, weights, sums);
    }

private:
    int64_t depth_;
    std::vector<T> data_;
    T* start_;

    template <int R>
    void choose(const T* from, int64_t stride, int64_t rows, const T* weights, Vector<T> (*sums)[VECTORS]) const {
        if constexpr (R > 0) {
            if (rows == R)
                exactly<R>(from, stride, weights, sums);
            else
                choose<R - 1>(from, stride, rows, weights, sums);
        }
    }

    template <int R>
    __attribute__((noinline)) void exactly(
        const T* from, int64_t stride, const T* weights, Vector<T> (*results)[VECTORS]) const {
        Vector<T> sums[R][VECTORS] = {};
        for (int64_t k = 0; k < depth_; k++) {
            // As many registers as there are: those of the sums, the smaller of a column and a row, and one.
            if constexpr (R < VECTORS) {
                Vector<T> values[R];
#pragma GCC unroll 12
                for (int r = 0; r < R; r++) values[r] = in_register(all(from[r * stride + k]));
#pragma GCC unroll 4
                for (int v = 0; v < VECTORS; v++) {
                    const Vector<T> weight = in_register(load(weights + v * LANES<T>));
#pragma GCC unroll 12
                    for (int r = 0; r < R; r++) sums[r][v] = multiply_add(values[r], weight, sums[r][v]);
                }
            } else {
                Vector<T> row[VECTORS];
#pragma GCC unroll 4
                for (int v = 0; v < VECTORS; v++) row[v] = in_register(load(weights + v * LANES<T>));
#pragma GCC unroll 12
                for (int r = 0; r < R; r++) {
                    const Vector<T> value = all(from[r * stride + k]);
#pragma GCC unroll 4
                    for (int v = 0; v < VECTORS; v++) sums[r][v] = multiply_add(value, row[v], sums[r][v]);
                }
            }
            weights += VECTORS * LANES<T>;
        }
#pragma GCC unroll 12
        for (int r = 0; r < R; r++)
#pragma GCC unroll 4
            for (int v = 0; v < VECTORS; v++) results[r][v] = sums[r][v];
    }
};

// -- sequences ------------------------------------------------------------------------------------------------------

// How the rows of a LoDTensor regroup into steps (ops/sequence/steps.py), the longest sequence first.
struct Steps {
    const int64_t *rows, *sizes, *starts, *order;
    int64_t count, width;
};

// Every `stride`-th sequence from `first` on, so that all shares have long and short ones.
struct Share {
    int64_t first, stride;

    int64_t among(int64_t size) const { return size > first ? (size - first + stride - 1) / stride : 0; }
    int64_t sequence(int64_t index) const { return first + index * stride; }
};

template <class Work>
void share(const Steps& steps, int64_t threads, const Work& work) {
    if (!steps.count) return;
    const int64_t shares = threads < steps.sizes[0] ? threads : steps.sizes[0];
    openmp::share(shares, [&](int64_t first) { work(Share{first, shares}); });
}

// Memory [rows, width], each row rounded up to whole vectors.
template <class T>
class Matrix {
public:
    Matrix(int64_t rows, int64_t width)
        : stride((width + LANES<T> - 1) / LANES<T> * LANES<T>), data_(rows * stride, T(0)) {}
    T* row(int64_t index) { return data_.data() + index * stride; }
    const T* row(int64_t index) const { return data_.data() + index * stride; }
    void swap(Matrix& other) { data_.swap(other.data_); }

    int64_t stride;

private:
    std::vector<T> data_;
};

}  // namespace recurrence
