// Convolutions with windows of 3 x 3 and stride 1 by Winograd's minimal filtering F(2 x 2, 3 x 3): 16 products for a patch
// of 2 x 2 results instead of 36. Patches of 4 x 4 inputs are transformed by sums alone, multiplied with transformed filters
// as 16 matrix products over the channels, and the products transformed back. The transforms have no constants but 1 (those
// of the filters, made once, 1/2 and 1/4), so rounding errors stay those of a sum.
#pragma once

#include <memory>

#include "vectors.h"

namespace {
namespace winograd {

struct Step {
    Kind kind;
    Image in, out, residual;  // no residual: data is null
    const float* weights;     // [pair of blocks][16][channel][filter]; the last block may be single
    const float* bias;
    int64_t images, rows, columns, in_blocks, blocks, rectify;
    int64_t patches, pairs;  // of one item of work

    int64_t down() const { return (rows + 1) / 2; }
    int64_t across() const { return (columns + 1) / 2; }
};

// What a thread needs of memory; it keeps it.
inline float* scratch(int64_t size) {
    static thread_local std::unique_ptr<float[]> memory;
    static thread_local int64_t present = 0;
    if (present < size) memory.reset(new float[present = size]);
    return memory.get();
}

inline void difference(const Lanes (&d)[4], Lanes (&v)[4]) {
    v[0] = d[0] - d[2];
    v[1] = d[1] + d[2];
    v[2] = d[2] - d[1];
    v[3] = d[1] - d[3];
}

// One block of channels of a patch; `to` has the 16 results `apart` from one another.
inline void transform(const float* from, int64_t row, int64_t column, float* to, int64_t apart) {
    Lanes half[4][4];  // by columns of the patch
#pragma GCC unroll 4
    for (int x = 0; x < 4; x++) {
        Lanes d[4];
#pragma GCC unroll 4
        for (int y = 0; y < 4; y++) d[y] = load(from + y * row + x * column);
        difference(d, half[x]);
    }
#pragma GCC unroll 4
    for (int y = 0; y < 4; y++) {
        Lanes d[4] = {half[0][y], half[1][y], half[2][y], half[3][y]}, v[4];
        difference(d, v);
#pragma GCC unroll 4
        for (int x = 0; x < 4; x++) store(to + (y * 4 + x) * apart, v[x]);
    }
}

// P rows of patches times a matrix of `depth` rows of Q blocks.
template <int P, int Q>
__attribute__((noinline)) void product(const float* rows, int64_t depth, const float* weights, float* out) {
    Lanes sums[P][Q];
#pragma GCC unroll 7
    for (int p = 0; p < P; p++)
#pragma GCC unroll 2
        for (int q = 0; q < Q; q++) sums[p][q] = Lanes{};
    const float* pixels[P];
#pragma GCC unroll 7
    for (int p = 0; p < P; p++) pixels[p] = rows + p * depth;
    for (int64_t offset = 0; offset < depth; offset += LANES)
#pragma GCC unroll 16
        for (int channel = 0; channel < LANES; channel++) {
            accumulate<P, Q>(sums, pixels, offset, weights, channel);
            weights += Q * LANES;
        }
#pragma GCC unroll 7
    for (int p = 0; p < P; p++)
#pragma GCC unroll 2
        for (int q = 0; q < Q; q++) store(out + (p * 2 + q) * LANES, sums[p][q]);
}

template <int Q>
inline void products(const float* rows, int64_t count, int64_t depth, const float* weights, float* out) {
    for (int64_t p = 0; p < count; p += TILE, rows += TILE * depth, out += TILE * 2 * LANES)
        with_size<TILE>(count - p, [&](auto size) { product<size.value, Q>(rows, depth, weights, out); });
}

// The 2 x 2 results of a block of filters, from 16 products `apart` from one another.
inline void restore(const float* from, int64_t apart, Lanes (&results)[2][2]) {
    Lanes half[2][4];
#pragma GCC unroll 4
    for (int x = 0; x < 4; x++) {
        Lanes m[4];
#pragma GCC unroll 4
        for (int y = 0; y < 4; y++) m[y] = load(from + (y * 4 + x) * apart);
        half[0][x] = m[0] + m[1] + m[2];
        half[1][x] = m[1] - m[2] - m[3];
    }
#pragma GCC unroll 2
    for (int y = 0; y < 2; y++) {
        results[y][0] = half[y][0] + half[y][1] + half[y][2];
        results[y][1] = half[y][1] - half[y][2] - half[y][3];
    }
}

inline int64_t items(const Step& step) {
    int64_t patches = step.images * step.down() * step.across(), pairs = (step.blocks + 1) / 2;
    return ((patches + step.patches - 1) / step.patches) * ((pairs + step.pairs - 1) / step.pairs);
}

template <class Run>
void compute(const Step& step, const Run&, int64_t item) {
    int64_t all_pairs = (step.blocks + 1) / 2, parts = (all_pairs + step.pairs - 1) / step.pairs;
    int64_t first_pair = item % parts * step.pairs, end_pair = std::min(first_pair + step.pairs, all_pairs);
    int64_t patches = step.images * step.down() * step.across();
    int64_t first = item / parts * step.patches, count = std::min(step.patches, patches - first);
    int64_t depth = step.in_blocks * LANES;
    float* transformed = scratch(16 * step.patches * (depth + 2 * LANES));  // [16][patch][channel]
    float* multiplied = transformed + 16 * step.patches * depth;            // [16][patch][filter of the pair]

    auto at = [&](int64_t patch, int64_t& n, int64_t& y, int64_t& x) {
        x = patch % step.across() * 2, patch /= step.across();
        y = patch % step.down() * 2, n = patch / step.down();
    };
    int64_t n, y, x;
    for (int64_t p = 0; p < count; p++) {
        at(first + p, n, y, x);
        const float* from = step.in.at(n, y, x);
        for (int64_t block = 0; block < step.in_blocks; block++)
            transform(
                from + block * step.in.block, step.in.row, step.in.column, transformed + p * depth + block * LANES,
                count * depth);
    }
    for (int64_t pair = first_pair; pair < end_pair; pair++) {
        int blocks = int(std::min<int64_t>(2, step.blocks - pair * 2));
        const float* weights = step.weights + pair * 2 * LANES * depth * 16;
        for (int i = 0; i < 16; i++) {
            auto multiply = blocks == 2 ? products<2> : products<1>;
            multiply(
                transformed + i * count * depth, count, depth, weights + i * depth * blocks * LANES,
                multiplied + i * count * 2 * LANES);
        }
        for (int64_t p = 0; p < count; p++) {
            at(first + p, n, y, x);
            for (int q = 0; q < blocks; q++) {
                Lanes results[2][2];
                restore(multiplied + (p * 2 + q) * LANES, count * 2 * LANES, results);
                Lanes bias = load(step.bias + (pair * 2 + q) * LANES);
                for (int i = 0; i < 2 && y + i < step.rows; i++)
                    for (int j = 0; j < 2 && x + j < step.columns; j++) {
                        Lanes value = results[i][j] + bias;
                        if (step.residual.data)
                            value += load(step.residual.at(n, y + i, x + j) + (pair * 2 + q) * step.residual.block);
                        if (step.rectify) value = rectified(value);
                        store(const_cast<float*>(step.out.at(n, y + i, x + j)) + (pair * 2 + q) * step.out.block, value);
                    }
            }
        }
    }
}

}  // namespace winograd
}  // namespace
