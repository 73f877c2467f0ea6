// Vectors of LANES channels, images of blocks of them, and the inner loop of products.
#pragma once

#include <cstdint>
#include <type_traits>
#if defined(__FMA__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace {

#if defined(__AVX512F__)
constexpr int LANES = 16;
#else
constexpr int LANES = 8;
#endif
// Rows of a tile by 2 blocks of channels: with 2 vectors of weights and 1 of an input, AVX2's 16 registers are full. AVX-512
// has twice as many; 7 divides the images of 224 x 224 and what networks halve them to.
constexpr int TILE = LANES == 16 ? 7 : 6;
typedef float Lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(4), may_alias));

inline Lanes load(const float* from) { return *reinterpret_cast<const Lanes*>(from); }
inline void store(float* to, Lanes value) { *reinterpret_cast<Lanes*>(to) = value; }
inline Lanes all(float value) {
#if defined(__AVX512F__)
    return _mm512_set1_ps(value);
#elif defined(__FMA__)
    return _mm256_set1_ps(value);
#else
    return value - Lanes{};
#endif
}

inline Lanes multiply_add(Lanes a, Lanes b, Lanes sum) {
#if defined(__AVX512F__)
    return _mm512_fmadd_ps(a, b, sum);
#elif defined(__FMA__)
    return _mm256_fmadd_ps(a, b, sum);
#else
    return a * b + sum;
#endif
}

// NaN stays NaN.
inline Lanes rectified(Lanes value) { return value < 0.0f ? Lanes{} : value; }

enum Kind : int64_t { CONVOLUTION, POOLING, ADDITION, RECTIFIER, SOFTMAX, LOAD, STORE, WINOGRAD };

// An image inside of its margins, or what a step sees of it.
struct Image {
    float* data;
    int64_t image, block, row, column;  // strides
    const float* at(int64_t n, int64_t y, int64_t x) const { return data + n * image + y * row + x * column; }
};

// P pixels by Q blocks of channels.
template <int P, int Q>
inline __attribute__((always_inline)) void accumulate(
    Lanes (&sums)[P][Q], const float* const (&pixels)[P], int64_t offset, const float* weights, int channel) {
    Lanes w[Q];
#pragma GCC unroll 2
    for (int q = 0; q < Q; q++) {
        w[q] = load(weights + q * LANES);
#if defined(__FMA__)
        __asm__("" : "+v"(w[q]));  // stays in a register: gcc would load it again for every pixel
#endif
    }
#pragma GCC unroll 7
    for (int p = 0; p < P; p++) {
        Lanes value = all(pixels[p][offset + channel]);
#pragma GCC unroll 2
        for (int q = 0; q < Q; q++) sums[p][q] = multiply_add(value, w[q], sums[p][q]);
    }
}

// Call `run` with the size of a tile as a constant: `count`, but SIZE at most.
template <int SIZE, class Run>
inline void with_size(int64_t count, const Run& run) {
    if constexpr (SIZE > 1)
        if (count < SIZE) return with_size<SIZE - 1>(count, run);
    run(std::integral_constant<int, SIZE>{});
}

}  // namespace
