// gru over sequences of different lengths (ops/sequence/gru.py): the products of a step, the gates and the state in one go.
#include "recurrence.h"

namespace {

using namespace recurrence;

enum Gate { UPDATE, RESET, CANDIDATE, GATES };

template <class T>
using Pairs = Panels<T, 2>;
template <class T>
constexpr int64_t BOTH = 2 * LANES<T>;  // units of a panel of neighbours

template <class T>
struct Gru {
    Steps steps;
    const T *weight, *bias, *first_hidden;  // weight: [D, 2D] of both gates, then [D, D] of the candidate
    Activation gate, candidate;
    bool origin;

    const T* candidate_weight() const { return weight + 2 * steps.width * steps.width; }
};

// -- forward --------------------------------------------------------------------------------------------------------

template <class T>
struct Forward {
    const T* input;
    T *gates, *resets, *hiddens, *hidden;  // all but the last in the order of steps
};

template <class T>
void forward(
    const Gru<T>& net, const Forward<T>& values, const Pairs<T>& of_gates, const Pairs<T>& of_candidate, const Share& share) {
    constexpr int ROWS = Pairs<T>::ROWS;
    const Steps& steps = net.steps;
    const int64_t width = steps.width, sequences = share.among(steps.sizes[0]);
    Matrix<T> state(sequences, width), updates(sequences, width), resets(sequences, width), bias(GATES, width);
    for (int g = 0; net.bias && g < GATES; g++) std::memcpy(bias.row(g), net.bias + g * width, width * sizeof(T));
    for (int64_t j = 0; net.first_hidden && j < sequences; j++)
        std::memcpy(state.row(j), net.first_hidden + steps.order[share.sequence(j)] * width, width * sizeof(T));
    for (int64_t t = 0; t < steps.count; t++) {
        const int64_t count = share.among(steps.sizes[t]);
        const int64_t later = t + 1 < steps.count ? share.among(steps.sizes[t + 1]) : 0;
        for (int64_t unit = 0; unit < width; unit += LANES<T>) {
            const int64_t lanes = lanes_from<T>(unit, width);
            for (int64_t j = 0; j < count; j += ROWS) {
                const int64_t rows = count - j < ROWS ? count - j : ROWS;
                Vector<T> sums[ROWS][2];
                of_gates.multiply(state.row(j), state.stride, rows, unit / LANES<T>, sums);
                for (int64_t r = 0; r < rows; r++) {
                    const int64_t row = steps.rows[steps.starts[t] + share.sequence(j + r)];
                    const T* input = values.input + row * GATES * width + unit;
                    for (int g = UPDATE; g <= RESET; g++)
                        sums[r][g] += load(input + g * width, lanes) + load(bias.row(g) + unit);
                }
                activate(net.gate, sums[0], 2 * rows);
                for (int64_t r = 0; r < rows; r++) {
                    const int64_t index = steps.starts[t] + share.sequence(j + r);
                    const Vector<T> reset = sums[r][RESET] * load(state.row(j + r) + unit);
                    store(updates.row(j + r) + unit, sums[r][UPDATE]);
                    store(resets.row(j + r) + unit, reset);
                    store(values.resets + index * width + unit, reset, lanes);
                    for (int g = UPDATE; g <= RESET; g++)
                        store(values.gates + (index * GATES + g) * width + unit, sums[r][g], lanes);
                    if (j + r < later) {  // what the next step reads of the input will be there
                        const T* input = values.input + steps.rows[index + steps.sizes[t]] * GATES * width + unit;
                        for (int g = 0; g < GATES; g++) __builtin_prefetch(input + g * width);
                    }
                }
            }
        }
        for (int64_t first = 0; first < width; first += BOTH<T>) {
            for (int64_t j = 0; j < count; j += ROWS) {
                const int64_t rows = count - j < ROWS ? count - j : ROWS;
                const int vectors = width - first > LANES<T> ? 2 : 1;
                Vector<T> sums[ROWS][2];
                of_candidate.multiply(resets.row(j), resets.stride, rows, first / BOTH<T>, sums);
                for (int64_t r = 0; r < rows; r++) {
                    const int64_t row = steps.rows[steps.starts[t] + share.sequence(j + r)];
                    const T* input = values.input + (row * GATES + CANDIDATE) * width;
                    for (int v = 0; v < vectors; v++) {
                        const int64_t unit = first + v * LANES<T>;
                        sums[r][v] += load(input + unit, lanes_from<T>(unit, width)) + load(bias.row(CANDIDATE) + unit);
                    }
                }
                activate(net.candidate, sums[0], 2 * rows);
                for (int64_t r = 0; r < rows; r++) {
                    const int64_t index = steps.starts[t] + share.sequence(j + r), row = steps.rows[index];
                    for (int v = 0; v < vectors; v++) {
                        const int64_t unit = first + v * LANES<T>, lanes = lanes_from<T>(unit, width);
                        const Vector<T> c = sums[r][v];
                        const Vector<T> h = load(state.row(j + r) + unit), u = load(updates.row(j + r) + unit);
                        const Vector<T> next = net.origin ? multiply_add(u, h - c, c) : multiply_add(u, c - h, h);
                        store(state.row(j + r) + unit, next);
                        store(values.gates + (index * GATES + CANDIDATE) * width + unit, c, lanes);
                        store(values.hiddens + index * width + unit, next, lanes);
                        store(values.hidden + row * width + unit, next, lanes);
                    }
                }
            }
        }
    }
}

// -- backward -------------------------------------------------------------------------------------------------------

template <class T>
struct Backward {
    const T *gates, *hiddens, *hidden_grad;
    T *input_grad, *before, *resets;  // by row: before is the state of the previous step, resets is r times that
    T *first_grad, *bias_grads;       // null: nobody asks; [shares, 3D]
};

// The state before a step of a sequence; null where it is 0.
template <class T>
const T* state_before(const Gru<T>& net, const Backward<T>& values, int64_t t, int64_t sequence) {
    const Steps& steps = net.steps;
    if (t) return values.hiddens + (steps.starts[t - 1] + sequence) * steps.width;
    return net.first_hidden ? net.first_hidden + steps.order[sequence] * steps.width : nullptr;
}

template <class T>
void backward(
    const Gru<T>& net, const Backward<T>& values, const Pairs<T>& of_gates, const Pairs<T>& of_candidate,
    const Share& share) {
    constexpr int ROWS = Pairs<T>::ROWS;
    const Steps& steps = net.steps;
    const int64_t width = steps.width, sequences = share.among(steps.sizes[0]);
    Matrix<T> grads(sequences, width), parts(sequences, 2 * width), candidates(sequences, width);
    Matrix<T> totals(GATES, width), sums(GATES, width);
    const auto add = [&](int g, int64_t unit, Vector<T> part) { store(sums.row(g) + unit, load(sums.row(g) + unit) + part); };
    for (int64_t t = steps.count - 1; t >= 0; t--) {
        const int64_t count = share.among(steps.sizes[t]);
        // The gradients of u and c; what h passes on to the previous step by u alone stays in `grads`.
        for (int64_t j = 0; j < count; j++) {
            const int64_t sequence = share.sequence(j), index = steps.starts[t] + sequence, row = steps.rows[index];
            const T *gates = values.gates + index * GATES * width, *before = state_before(net, values, t, sequence);
            T* input_grad = values.input_grad + row * GATES * width;
            for (int64_t unit = 0; unit < width; unit += LANES<T>) {
                const int64_t lanes = lanes_from<T>(unit, width);
                const Vector<T> u = load(gates + unit, lanes), c = load(gates + CANDIDATE * width + unit, lanes);
                const Vector<T> h = load_if(before, unit, lanes);
                const Vector<T> grad = load(grads.row(j) + unit) + load(values.hidden_grad + row * width + unit, lanes);
                const Vector<T> du = slope(net.gate, u, grad * (net.origin ? h - c : c - h));
                const Vector<T> dc = slope(net.candidate, c, grad * (net.origin ? 1 - u : u));
                store(grads.row(j) + unit, grad * (net.origin ? u : 1 - u));
                store(parts.row(j) + unit, du, lanes);
                store(candidates.row(j) + unit, dc);
                store(input_grad + unit, du, lanes);
                store(input_grad + CANDIDATE * width + unit, dc, lanes);
                store(values.before + row * width + unit, h, lanes);
                add(UPDATE, unit, du);
                add(CANDIDATE, unit, dc);
            }
        }
        for (int64_t first = 0; first < width; first += BOTH<T>) {
            for (int64_t j = 0; j < count; j += ROWS) {
                const int64_t rows = count - j < ROWS ? count - j : ROWS;
                Vector<T> products[ROWS][2];
                of_candidate.multiply(candidates.row(j), candidates.stride, rows, first / BOTH<T>, products);
                for (int64_t r = 0; r < rows; r++) {
                    const int64_t sequence = share.sequence(j + r), index = steps.starts[t] + sequence;
                    const int64_t row = steps.rows[index];
                    const T* before = state_before(net, values, t, sequence);
                    for (int v = 0; v < 2 && first + v * LANES<T> < width; v++) {
                        const int64_t unit = first + v * LANES<T>, lanes = lanes_from<T>(unit, width);
                        const Vector<T> gate = load(values.gates + (index * GATES + RESET) * width + unit, lanes);
                        const Vector<T> h = load_if(before, unit, lanes);
                        const Vector<T> dr = slope(net.gate, gate, products[r][v] * h);
                        T* grad = grads.row(j + r) + unit;
                        store(grad, multiply_add(products[r][v], gate, load(grad)));
                        store(parts.row(j + r) + width + unit, dr, lanes);
                        store(values.input_grad + (row * GATES + RESET) * width + unit, dr, lanes);
                        store(values.resets + row * width + unit, gate * h, lanes);
                        add(RESET, unit, dr);
                    }
                }
            }
        }
        // Sums of sums: one running sum over all rows would lose digits.
        for (int g = 0; g < GATES; g++)
            for (int64_t unit = 0; unit < width; unit++) totals.row(g)[unit] += sums.row(g)[unit], sums.row(g)[unit] = 0;
        if (!t && !values.first_grad) continue;
        for (int64_t first = 0; first < width; first += BOTH<T>)
            for (int64_t j = 0; j < count; j += ROWS) {
                const int64_t rows = count - j < ROWS ? count - j : ROWS;
                Vector<T> products[ROWS][2];
                of_gates.multiply(parts.row(j), parts.stride, rows, first / BOTH<T>, products);
                for (int64_t r = 0; r < rows; r++)
                    for (int v = 0; v < 2 && first + v * LANES<T> < width; v++) {
                        T* grad = grads.row(j + r) + first + v * LANES<T>;
                        store(grad, load(grad) + products[r][v]);
                    }
            }
    }
    for (int g = 0; g < GATES; g++)
        std::memcpy(values.bias_grads + (share.first * GATES + g) * width, totals.row(g), width * sizeof(T));
    for (int64_t j = 0; values.first_grad && j < sequences; j++)
        std::memcpy(
            values.first_grad + steps.order[share.sequence(j)] * width, grads.row(j), width * sizeof(T));
}

template <class T>
int64_t run_forward(const Gru<T>& net, const Forward<T>& values, int64_t threads) {
    const int64_t width = net.steps.width;
    const T *gates = net.weight, *candidate = net.candidate_weight();
    const Pairs<T> of_gates(
        width, width, false, [=](int64_t k, int v, int64_t unit) { return gates[(2 * k + v) * width + unit]; });
    const Pairs<T> of_candidate(width, width, true, [=](int64_t k, int, int64_t unit) { return candidate[k * width + unit]; });
    share(net.steps, threads, [&](const Share& share) { forward(net, values, of_gates, of_candidate, share); });
    return 0;
}

template <class T>
int64_t run_backward(const Gru<T>& net, const Backward<T>& values, int64_t threads) {
    const int64_t width = net.steps.width;
    const T *gates = net.weight, *candidate = net.candidate_weight();
    const Pairs<T> of_gates(
        2 * width, width, true, [=](int64_t k, int, int64_t unit) { return gates[unit * 2 * width + k]; });
    const Pairs<T> of_candidate(width, width, true, [=](int64_t k, int, int64_t unit) { return candidate[unit * width + k]; });
    share(net.steps, threads, [&](const Share& share) { backward(net, values, of_gates, of_candidate, share); });
    return 0;
}

}  // namespace

#define NET(T)                                                                                                            \
    const int64_t *rows, const int64_t *sizes, const int64_t *starts, const int64_t *order, int64_t count, int64_t width, \
        const T *weight, const T *bias, const T *h0, int64_t gate, int64_t candidate, bool origin, int64_t threads
#define MAKE_NET                                                                                           \
    {                                                                                                      \
        {rows, sizes, starts, order, count, width}, weight, bias, h0, Activation(gate),                    \
            Activation(candidate), origin                                                                  \
    }
#define GRU(T, NAME)                                                                                                   \
    REFLUID_API int64_t gru_forward_##NAME(NET(T), const T* input, T* gates, T* resets, T* hiddens, T* hidden) {       \
        return run_forward<T>(MAKE_NET, {input, gates, resets, hiddens, hidden}, threads);                             \
    }                                                                                                                  \
    REFLUID_API int64_t gru_backward_##NAME(                                                                           \
        NET(T), const T* gates, const T* hiddens, const T* hidden_grad, T* input_grad, T* before, T* resets,           \
        T* first_grad, T* bias_grads) {                                                                                \
        return run_backward<T>(                                                                                        \
            MAKE_NET, {gates, hiddens, hidden_grad, input_grad, before, resets, first_grad, bias_grads}, threads);     \
    }
GRU(float, float32)
GRU(double, float64)
