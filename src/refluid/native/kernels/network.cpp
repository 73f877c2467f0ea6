// A convolutional network for prediction as one call. Python plans it once per input shape (executor/network/) as a list
// of steps: structures of 64-bit numbers, most of them addresses and strides in elements, which this file walks through.
//
// Images lie in blocks of LANES channels, [image][block][row][column][lane], with margins of zeros where a convolution
// pads, so that no inner loop asks where the image ends.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "common.h"
#include "steps.h"
#include "team.h"
#include "vectors.h"
#include "winograd.h"

namespace {

constexpr int64_t NEAR_TAPS = 3072 / (LANES * LANES);  // whose weights for two blocks stay in the first cache: 24 KB
constexpr int LINES_AHEAD = 6;                         // of weights, asked for at each tap: few tiles read them again
constexpr int LINE = 16;                               // numbers

struct Run {
    float* const* inputs;
    float* const* outputs;
};

// -- convolution ----------------------------------------------------------------------------------------------------

// Which taps a tile sums up, with their weights. Its sums go to what earlier taps gave, but those of the first.
struct Part {
    const int64_t *taps, *full_end, *end;
    const float *weights, *ahead;  // ahead: weights that will be read soon
    int64_t ahead_step;            // how far they move at a tap; 0 when all of the next part are on their way
    bool first, last;
};

template <int P, int Q>
inline __attribute__((always_inline)) void finish(
    const Convolution& step, const Part& part, const Lanes (&sums)[P][Q], const float* bias, float* const (&out)[TILE],
    const float* const (&residual)[TILE]) {
#pragma GCC unroll 7
    for (int p = 0; p < P; p++)
#pragma GCC unroll 2
        for (int q = 0; q < Q; q++) {
            float* to = out[p] + q * step.out.block;
            Lanes sum = sums[p][q] + load(part.first ? bias + q * LANES : to);
            if (part.last) {
                if (step.residual.data) sum += load(residual[p] + q * step.residual.block);
                if (step.rectify) sum = rectified(sum);
            }
            store(to, sum);
        }
}

// Images of one channel have a tile of their own: with several loops in one function gcc keeps sums in memory.
template <int P, int Q, bool ONE_CHANNEL>
__attribute__((noinline)) void tile(
    const Convolution& step, const Part& part, const float* const (&pixels)[P], const float* bias,
    float* const (&out)[TILE], const float* const (&residual)[TILE]) {
    Lanes sums[P][Q];
#pragma GCC unroll 7
    for (int p = 0; p < P; p++)
#pragma GCC unroll 2
        for (int q = 0; q < Q; q++) sums[p][q] = Lanes{};
    const int64_t* taps = part.taps;
    const float* weights = part.weights;
    if constexpr (ONE_CHANNEL) {
        for (; taps != part.end; taps++) {
            accumulate<P, Q>(sums, pixels, *taps, weights, 0);
            weights += Q * LANES;
        }
    } else {
        const float* ahead = part.ahead;
        for (; taps != part.full_end; taps++) {
#pragma GCC unroll 6
            for (int line = 0; line < LINES_AHEAD; line++) __builtin_prefetch(ahead + line * LINE, 0, 2);
            ahead += part.ahead_step;
#pragma GCC unroll 16
            for (int channel = 0; channel < LANES; channel++) {
                accumulate<P, Q>(sums, pixels, *taps, weights, channel);
                weights += Q * LANES;
            }
        }
        for (; taps != part.end; taps++)
            for (int channel = 0; channel < step.channels; channel++) {
                accumulate<P, Q>(sums, pixels, *taps, weights, channel);
                weights += Q * LANES;
            }
    }
    finish(step, part, sums, bias, out, residual);
}

template <int P>
inline void tile_of(
    const Convolution& step, const Part& part, const float* const (&pixels)[TILE], const float* bias,
    float* const (&out)[TILE], const float* const (&residual)[TILE], int blocks) {
    const float* first[P];
    std::copy(pixels, pixels + P, first);
    bool one_channel = step.full_taps == 0 && step.channels == 1;
    if (blocks == 2)
        (one_channel ? tile<P, 2, true> : tile<P, 2, false>)(step, part, first, bias, out, residual);
    else
        (one_channel ? tile<P, 1, true> : tile<P, 1, false>)(step, part, first, bias, out, residual);
}

int64_t items(const Convolution& step) {
    int64_t tiles = (step.images * step.rows * step.columns + TILE - 1) / TILE;
    int64_t groups = (step.blocks + 1) / 2;
    return ((tiles + step.tiles - 1) / step.tiles) * ((groups + step.groups - 1) / step.groups);
}

void compute(const Convolution& step, const Run& run, int64_t item) {
    int64_t pixels = step.images * step.rows * step.columns;
    int64_t all_groups = (step.blocks + 1) / 2, parts = (all_groups + step.groups - 1) / step.groups;
    int64_t first_group = item % parts * step.groups, end_group = std::min(first_group + step.groups, all_groups);
    int64_t first = item / parts * step.tiles * TILE, end = std::min(first + step.tiles * TILE, pixels);
    int64_t taps = step.full_taps + step.other_taps;
    int64_t depth = step.full_taps * LANES + step.other_taps * step.channels;
    Image in = step.in;
    if (step.input >= 0) in.data = run.inputs[step.input];
    for (int64_t group = first_group; group < end_group; group++) {
        int blocks = int(std::min<int64_t>(2, step.blocks - group * 2));
        const float* weights = step.weights + group * 2 * LANES * depth;
        const float* bias = step.bias + group * 2 * LANES;
        Image out = step.out, residual = step.residual;
        out.data += group * 2 * out.block;
        residual.data += group * 2 * residual.block;
        for (int64_t tap = 0, end_tap; tap < taps; tap = end_tap) {
            end_tap = std::min(tap + (tap < step.full_taps ? NEAR_TAPS : NEAR_TAPS * LANES / step.channels), taps);
            if (tap < step.full_taps && end_tap > step.full_taps) end_tap = taps;
            int64_t whole = std::max<int64_t>(0, std::min(end_tap, step.full_taps) - tap);
            int64_t rows = whole * LANES + (end_tap - tap - whole) * step.channels;
            const float* next = weights + rows * blocks * LANES;
            Part part{
                step.taps + tap, step.taps + tap + whole, step.taps + end_tap, weights, next, LINES_AHEAD * LINE, tap == 0,
                end_tap == taps};
            weights = next;
            int64_t x = first % step.columns, y = first / step.columns % step.rows, n = first / step.columns / step.rows;
            const float *in_at = in.at(n, y, x), *residual_at = residual.at(n, y, x);
            float* out_at = out.data + (out.at(n, y, x) - out.data);
            for (int64_t pixel = first; pixel < end; pixel += TILE) {
                int count = int(std::min<int64_t>(TILE, end - pixel));
                const float *from[TILE], *added[TILE];
                float* to[TILE];
                for (int p = 0; p < count; p++) {
                    from[p] = in_at, to[p] = out_at, added[p] = residual_at;
                    in_at += in.column, out_at += out.column, residual_at += residual.column;
                    if (++x == step.columns) {
                        x = 0;
                        if (++y == step.rows) y = 0, n++;
                        in_at = in.at(n, y, 0), residual_at = residual.at(n, y, 0);
                        out_at = out.data + (out.at(n, y, 0) - out.data);
                    }
                }
                with_size<TILE>(count, [&](auto size) { tile_of<size.value>(step, part, from, bias, to, added, blocks); });
                part.ahead += whole * part.ahead_step;
                if (part.ahead >= next + rows * blocks * LANES) part.ahead_step = 0;
            }
        }
    }
}

// -- the others -------------------------------------------------------------------------------------------------------

int64_t items(const Pooling& step) { return step.images * step.blocks; }

void compute(const Pooling& step, const Run&, int64_t item) {
    int64_t n = item / step.blocks, block = item % step.blocks;
    for (int64_t y = 0; y < step.rows; y++)
        for (int64_t x = 0; x < step.columns; x++) {
            int64_t top = y * step.stride_y - step.pad_y, left = x * step.stride_x - step.pad_x;
            int64_t bottom = std::min(top + step.height, step.in_rows), right = std::min(left + step.width, step.in_columns);
            top = std::max<int64_t>(top, 0), left = std::max<int64_t>(left, 0);
            Lanes result = step.average ? Lanes{} : all(-std::numeric_limits<float>::infinity());
            for (int64_t row = top; row < bottom; row++) {
                const float* from = step.in.at(n, row, left) + block * step.in.block;
                for (int64_t column = left; column < right; column++, from += step.in.column) {
                    Lanes value = load(from);
                    // A comparison with NaN is false: a NaN comes in, and never goes.
                    result = step.average ? result + value : (value <= result ? result : (result != result ? result : value));
                }
            }
            if (step.average) {
                int64_t count = step.exclusive ? (bottom - top) * (right - left) : step.height * step.width;
                result /= all(float(count));
            }
            if (step.rectify) result = rectified(result);
            store(const_cast<float*>(step.out.at(n, y, x)) + block * step.out.block, result);
        }
}

int64_t items(const Elementwise& step) { return step.images * step.blocks; }

void compute(const Elementwise& step, const Run&, int64_t item) {
    int64_t n = item / step.blocks, block = item % step.blocks;
    for (int64_t y = 0; y < step.rows; y++)
        for (int64_t x = 0; x < step.columns; x++) {
            Lanes value = load(step.in.at(n, y, x) + block * step.in.block);
            if (step.kind == ADDITION) value += load(step.other.at(n, y, x) + block * step.other.block);
            if (step.rectify) value = rectified(value);
            store(const_cast<float*>(step.out.at(n, y, x)) + block * step.out.block, value);
        }
}

int64_t items(const Softmax& step) { return step.images; }

// exp(max(x - maximum, -64)) over its sum, as softmax.py has it.
void compute(const Softmax& step, const Run&, int64_t n) {
    auto in = [&](int64_t c) { return step.in.data[n * step.in.image + c / LANES * step.in.block + c % LANES]; };
    auto out = [&](int64_t c) -> float& {
        return step.out.data[n * step.out.image + c / LANES * step.out.block + c % LANES];
    };
    float maximum = in(0), sum = 0;
    for (int64_t c = 1; c < step.channels; c++) maximum = std::max(maximum, in(c));
    for (int64_t c = 0; c < step.channels; c++) {
        float below = in(c) - maximum;
        sum += out(c) = std::exp(below < -64.0f ? -64.0f : below);
    }
    for (int64_t c = 0; c < step.channels; c++) out(c) /= sum;
}

int64_t items(const Transfer& step) {
    return step.images * ((step.channels + step.lanes - 1) / step.lanes);
}

void compute(const Transfer& step, const Run& run, int64_t item) {
    int64_t blocks = (step.channels + step.lanes - 1) / step.lanes, n = item / blocks, block = item % blocks;
    int64_t area = step.rows * step.columns;
    int64_t lanes = std::min(step.lanes, step.channels - block * step.lanes);
    float* theirs = (step.kind == LOAD ? run.inputs : run.outputs)[step.index];
    theirs += (n * step.channels + block * step.lanes) * area;
    float* ours = step.ours.data + n * step.ours.image + block * step.ours.block;
    for (int64_t y = 0; y < step.rows; y++) {
        float *row = ours + y * step.ours.row, *plane = theirs + y * step.columns;
        if (step.kind == LOAD && step.lanes == 1)
            std::memcpy(row, plane, step.columns * sizeof(float));
        else if (step.kind == LOAD)
            for (int64_t x = 0; x < step.columns; x++)
                for (int64_t lane = 0; lane < lanes; lane++) row[x * step.ours.column + lane] = plane[lane * area + x];
        else
            for (int64_t lane = 0; lane < lanes; lane++)
                for (int64_t x = 0; x < step.columns; x++) plane[lane * area + x] = row[x * step.ours.column + lane];
    }
}

// Whether threads take runs of images, or items one by one. Runs are for results that stay in the caches of the cores.
// Where filters are cut into several parts, these are too many for the cache of a core: threads that take turns read
// every second part each.
constexpr int64_t CACHED = 1 << 20;  // numbers
bool is_cached(int64_t images, int64_t rows, int64_t columns, int64_t channels) {
    return images * rows * columns * channels <= CACHED;
}
template <class Step>
bool in_runs(const Step& step) { return is_cached(step.images, step.rows, step.columns, step.blocks * LANES); }
bool in_runs(const Convolution& step) {
    bool whole = (step.blocks + 1) / 2 <= step.groups;
    return whole && is_cached(step.images, step.rows, step.columns, step.blocks * LANES);
}
bool in_runs(const Transfer& step) { return is_cached(step.images, step.rows, step.columns, step.channels); }
bool in_runs(const Softmax&) { return true; }
bool in_runs(const winograd::Step&) { return false; }

template <class Step>
void perform(const void* from, const Run& run, Team& team) {
    const Step& step = *static_cast<const Step*>(from);
    team.share(items(step), [&](int64_t item) { compute(step, run, item); }, in_runs(step));
}

void perform(const void* step, const Run& run, Team& team) {
    switch (*static_cast<const Kind*>(step)) {
        case CONVOLUTION: return perform<Convolution>(step, run, team);
        case POOLING: return perform<Pooling>(step, run, team);
        case ADDITION:
        case RECTIFIER: return perform<Elementwise>(step, run, team);
        case WINOGRAD: return perform<winograd::Step>(step, run, team);
        case SOFTMAX: return perform<Softmax>(step, run, team);
        case LOAD:
        case STORE: return perform<Transfer>(step, run, team);
    }
}

}  // namespace

REFLUID_API int64_t network_lanes() { return LANES; }
REFLUID_API int64_t network_tile() { return TILE; }

// Walk through the steps with so many threads.
REFLUID_API int64_t network_run(
    const void* const* steps, int64_t count, float* const* inputs, float* const* outputs, int64_t threads, bool wake) {
    Run run{inputs, outputs};
    Team team(threads, wake);
    for (int64_t i = 0; i < count; i++) perform(steps[i], run, team);
    return 0;
}
