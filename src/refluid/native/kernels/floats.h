// Vectors of floats and doubles, and activations of them: what the recurrent and the pointwise kernels share.
#pragma once

#include <cmath>
#include <cstring>
#if defined(__FMA__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "common.h"

namespace floats {

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

}  // namespace floats
