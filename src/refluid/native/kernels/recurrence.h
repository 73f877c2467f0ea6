// What the recurrent kernels share: vectors, activations, and products of a few rows with packed weights.
//
// Sequences are shared among threads. A thread goes through all steps of its sequences without waiting for the others.
#pragma once

#include <cmath>
#include <cstring>
#include <vector>
#if defined(__FMA__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "common.h"
#include "team.h"

namespace recurrence {

#if defined(__AVX512F__)
constexpr int BYTES = 64;
#else
constexpr int BYTES = 32;
#endif

template <class T>
struct Types;
template <>
struct Types<float> {
    typedef float Vector __attribute__((vector_size(BYTES)));
    typedef float Unaligned __attribute__((vector_size(BYTES), aligned(4), may_alias));
    typedef int32_t Integers __attribute__((vector_size(BYTES)));
};
template <>
struct Types<double> {
    typedef double Vector __attribute__((vector_size(BYTES)));
    typedef double Unaligned __attribute__((vector_size(BYTES), aligned(8), may_alias));
};
template <class T>
using Vector = typename Types<T>::Vector;

template <class T>
constexpr int LANES = BYTES / sizeof(T);

template <class T>
inline Vector<T> load(const T* from) {
    return *reinterpret_cast<const typename Types<T>::Unaligned*>(from);
}
template <class T>
inline void store(T* to, Vector<T> value) {
    *reinterpret_cast<typename Types<T>::Unaligned*>(to) = value;
}
// The first lanes alone; the others are 0.
template <class T>
inline Vector<T> load(const T* from, int64_t lanes) {
    if (lanes == LANES<T>) return load(from);
    Vector<T> value{};
    std::memcpy(&value, from, lanes * sizeof(T));
    return value;
}
template <class T>
inline void store(T* to, Vector<T> value, int64_t lanes) {
    if (lanes == LANES<T>) return store(to, value);
    std::memcpy(to, &value, lanes * sizeof(T));
}
// How many there are from a unit on, up to the width.
template <class T>
inline int64_t lanes_from(int64_t unit, int64_t width) {
    return width - unit < LANES<T> ? width - unit : LANES<T>;
}
// 0 where there is nothing to read.
template <class T>
inline Vector<T> load_if(const T* from, int64_t offset, int64_t lanes) {
    return from ? load(from + offset, lanes) : Vector<T>{};
}

template <class T>
inline Vector<T> all(T value) {
    return value - Vector<T>{};
}

inline Vector<float> multiply_add(Vector<float> a, Vector<float> b, Vector<float> sum) {
#if defined(__AVX512F__)
    return _mm512_fmadd_ps(a, b, sum);
#elif defined(__FMA__)
    return _mm256_fmadd_ps(a, b, sum);
#else
    return a * b + sum;
#endif
}
inline Vector<double> multiply_add(Vector<double> a, Vector<double> b, Vector<double> sum) {
#if defined(__AVX512F__)
    return _mm512_fmadd_pd(a, b, sum);
#elif defined(__FMA__)
    return _mm256_fmadd_pd(a, b, sum);
#else
    return a * b + sum;
#endif
}

// gcc would load a value again for every use.
template <class V>
inline V in_register(V value) {
#if defined(__FMA__)
    __asm__("" : "+v"(value));
#endif
    return value;
}

// -- activations ----------------------------------------------------------------------------------------------------

enum Activation : int64_t { IDENTITY, SIGMOID, TANH, RELU };

// e to the power of x, correct to an ulp: 2 to the power of n, times a polynomial of what is left, below ln 2 / 2. NaN
// stays NaN.
inline Vector<float> exponential(Vector<float> x) {
    typedef Types<float>::Integers Integers;
    x = x > 88.0f ? all(88.0f) : x;
    x = x < -87.0f ? all(-87.0f) : x;
    // Adding 1.5 * 2^23 rounds to the nearest integer, which is then the low bits.
    Vector<float> shifted = multiply_add(x, all(1.44269504f), all(12582912.0f));
    Integers n = (Integers)shifted - 0x4b400000;
    Vector<float> whole = shifted - 12582912.0f;
    Vector<float> rest = multiply_add(whole, all(-0.693359375f), x);
    rest = multiply_add(whole, all(2.12194440e-4f), rest);
    Vector<float> sum = all(1.0f / 5040);
    sum = multiply_add(sum, rest, all(1.0f / 720));
    sum = multiply_add(sum, rest, all(1.0f / 120));
    sum = multiply_add(sum, rest, all(1.0f / 24));
    sum = multiply_add(sum, rest, all(1.0f / 6));
    sum = multiply_add(sum, rest, all(0.5f));
    sum = multiply_add(sum, rest * rest, rest) + 1.0f;
    return sum * (Vector<float>)((n + 127) << 23);
}

inline Vector<float> sigmoid(Vector<float> x) { return 1.0f / (1.0f + exponential(-x)); }

// Near 0 the odd Taylor series up to x^13, whose next term is below half an ulp there.
inline Vector<float> hyperbolic_tangent(Vector<float> x) {
    Vector<float> size = x < 0.0f ? -x : x, square = x * x;
    Vector<float> far = 1.0f - 2.0f / (exponential(size + size) + 1.0f);
    Vector<float> sum = all(21844.0f / 6081075);
    sum = multiply_add(sum, square, all(-1382.0f / 155925));
    sum = multiply_add(sum, square, all(62.0f / 2835));
    sum = multiply_add(sum, square, all(-17.0f / 315));
    sum = multiply_add(sum, square, all(2.0f / 15));
    sum = multiply_add(sum, square, all(-1.0f / 3));
    Vector<float> near = multiply_add(sum * square, x, x);
    return size < 0.4f ? near : (x < 0.0f ? -far : far);
}

inline Vector<double> sigmoid(Vector<double> x) {
    for (int lane = 0; lane < LANES<double>; lane++) x[lane] = 1 / (1 + std::exp(-x[lane]));
    return x;
}
inline Vector<double> hyperbolic_tangent(Vector<double> x) {
    for (int lane = 0; lane < LANES<double>; lane++) x[lane] = std::tanh(x[lane]);
    return x;
}

// Several at once, so that one need not wait for the other.
template <class V>
__attribute__((noinline)) void activate(Activation kind, V* values, int64_t count) {
    switch (kind) {
        case SIGMOID:
            for (int64_t i = 0; i < count; i++) values[i] = sigmoid(values[i]);
            break;
        case TANH:
            for (int64_t i = 0; i < count; i++) values[i] = hyperbolic_tangent(values[i]);
            break;
        case RELU:
            for (int64_t i = 0; i < count; i++) values[i] = values[i] < 0 ? V{} : values[i];
            break;
        case IDENTITY: break;
    }
}

// The gradient of the argument, from the result and its gradient.
template <class V>
inline V slope(Activation kind, V y, V grad) {
    switch (kind) {
        case SIGMOID: return grad * y * (1 - y);
        case TANH: return grad * (1 - y * y);
        case RELU: return y > 0 ? grad : V{};
        default: return grad;
    }
}

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
    Team(shares, true).share(shares, [&](int64_t first) { work(Share{first, shares}); });
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
