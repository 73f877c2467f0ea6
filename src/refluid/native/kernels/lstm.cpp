// lstm over sequences of different lengths (ops/sequence/lstm.py): the product of a step, the gates and the cells in one go.
#include "recurrence.h"

namespace {

using namespace recurrence;

enum Gate { CANDIDATE, INPUT, FORGET, OUTPUT, GATES };
constexpr int PEEPHOLES = 3;  // of the gates INPUT, FORGET, OUTPUT

template <class T>
struct Lstm {
    Steps steps;
    const T *weight, *bias, *first_hidden, *first_cell;
    bool peepholes;
    Activation gate, cell, candidate;
};

// -- forward --------------------------------------------------------------------------------------------------------

template <class T>
struct Forward {
    const T* input;
    T *hidden, *cells, *gates, *actives;
};

template <class T>
void forward(const Lstm<T>& net, const Forward<T>& values, const Panels<T, GATES>& panels, const Share& share) {
    constexpr int ROWS = Panels<T, GATES>::ROWS;
    const Steps& steps = net.steps;
    const int64_t width = steps.width, sequences = share.among(steps.sizes[0]);
    Matrix<T> hidden(sequences, width), next(sequences, width), cells(sequences, width), bias(GATES + PEEPHOLES, width);
    for (int64_t i = 0; i < GATES + (net.peepholes ? PEEPHOLES : 0); i++)
        std::memcpy(bias.row(i), net.bias + i * width, width * sizeof(T));
    for (int64_t j = 0; j < sequences; j++) {
        const int64_t from = steps.order[share.sequence(j)] * width;
        if (net.first_hidden) std::memcpy(hidden.row(j), net.first_hidden + from, width * sizeof(T));
        if (net.first_cell) std::memcpy(cells.row(j), net.first_cell + from, width * sizeof(T));
    }
    for (int64_t t = 0; t < steps.count; t++) {
        const int64_t count = share.among(steps.sizes[t]);
        const int64_t later = t + 1 < steps.count ? share.among(steps.sizes[t + 1]) : 0;
        for (int64_t unit = 0; unit < width; unit += LANES<T>) {
            const int64_t lanes = lanes_from<T>(unit, width);
            for (int64_t j = 0; j < count; j += ROWS) {
                const int64_t rows = count - j < ROWS ? count - j : ROWS;
                Vector<T> sums[ROWS][GATES];
                panels.multiply(hidden.row(j), hidden.stride, rows, unit / LANES<T>, sums);
                int64_t index[ROWS], row[ROWS];
                Vector<T> x[GATES][ROWS], cell[ROWS], active[ROWS];
                for (int64_t r = 0; r < rows; r++) {
                    index[r] = steps.starts[t] + share.sequence(j + r), row[r] = steps.rows[index[r]];
                    const T* input = values.input + row[r] * GATES * width + unit;
                    for (int g = 0; g < GATES; g++)
                        x[g][r] = sums[r][g] + (load(input + g * width, lanes) + load(bias.row(g) + unit));
                    cell[r] = load(cells.row(j + r) + unit);
                    if (net.peepholes) {
                        x[INPUT][r] = multiply_add(cell[r], load(bias.row(GATES) + unit), x[INPUT][r]);
                        x[FORGET][r] = multiply_add(cell[r], load(bias.row(GATES + 1) + unit), x[FORGET][r]);
                    }
                }
                activate(net.candidate, x[CANDIDATE], rows);
                activate(net.gate, x[INPUT], rows);
                activate(net.gate, x[FORGET], rows);
                for (int64_t r = 0; r < rows; r++) {
                    active[r] = cell[r] = multiply_add(cell[r], x[FORGET][r], x[CANDIDATE][r] * x[INPUT][r]);
                    if (net.peepholes) x[OUTPUT][r] = multiply_add(cell[r], load(bias.row(GATES + 2) + unit), x[OUTPUT][r]);
                }
                activate(net.gate, x[OUTPUT], rows);
                activate(net.cell, active, rows);
                for (int64_t r = 0; r < rows; r++) {
                    const Vector<T> out = x[OUTPUT][r] * active[r];
                    store(cells.row(j + r) + unit, cell[r]);
                    store(next.row(j + r) + unit, out);
                    store(values.cells + row[r] * width + unit, cell[r], lanes);
                    store(values.hidden + row[r] * width + unit, out, lanes);
                    store(values.actives + index[r] * width + unit, active[r], lanes);
                    for (int g = 0; g < GATES; g++)
                        store(values.gates + (index[r] * GATES + g) * width + unit, x[g][r], lanes);
                    if (j + r < later) {  // what the next step reads of the input will be there
                        const T* input = values.input + steps.rows[index[r] + steps.sizes[t]] * GATES * width + unit;
                        for (int g = 0; g < GATES; g++) __builtin_prefetch(input + g * width);
                    }
                }
            }
        }
        hidden.swap(next);
    }
}

// -- backward -------------------------------------------------------------------------------------------------------

template <class T>
struct Backward {
    const T *hidden, *cells, *gates, *actives, *hidden_grad, *cell_grad;
    T *input_grad, *before;                          // before: the hidden values of the previous step, by row
    T *first_hidden_grad, *first_cell_grad;          // null: nobody asks
    T* bias_grads;                                   // [shares, 4D or 7D]
};

template <class T>
void backward(const Lstm<T>& net, const Backward<T>& values, const Panels<T, 2>& panels, const Share& share) {
    constexpr int ROWS = Panels<T, 2>::ROWS;
    const Steps& steps = net.steps;
    const int64_t width = steps.width, sequences = share.among(steps.sizes[0]);
    const int64_t biases = GATES + (net.peepholes ? PEEPHOLES : 0);
    Matrix<T> hidden_grads(sequences, width), cell_grads(sequences, width), parts(sequences, GATES * width);
    Matrix<T> see(PEEPHOLES, width), totals(biases, width), sums(biases, width);
    for (int64_t i = 0; net.peepholes && i < PEEPHOLES; i++)
        std::memcpy(see.row(i), net.bias + (GATES + i) * width, width * sizeof(T));
    for (int64_t t = steps.count - 1; t >= 0; t--) {
        const int64_t count = share.among(steps.sizes[t]);
        for (int64_t j = 0; j < count; j++) {
            const int64_t sequence = share.sequence(j), index = steps.starts[t] + sequence, row = steps.rows[index];
            const T *hidden_before = net.first_hidden, *cell_before = net.first_cell;
            if (t) {
                const int64_t previous = steps.rows[steps.starts[t - 1] + sequence];
                hidden_before = values.hidden + previous * width, cell_before = values.cells + previous * width;
            } else {
                if (hidden_before) hidden_before += steps.order[sequence] * width;
                if (cell_before) cell_before += steps.order[sequence] * width;
            }
            const T* gates = values.gates + index * GATES * width;
            T *grad = values.input_grad + row * GATES * width, *part = parts.row(j);
            for (int64_t unit = 0; unit < width; unit += LANES<T>) {
                const int64_t lanes = lanes_from<T>(unit, width);
                const Vector<T> c = load(gates + unit, lanes), i = load(gates + INPUT * width + unit, lanes);
                const Vector<T> f = load(gates + FORGET * width + unit, lanes);
                const Vector<T> o = load(gates + OUTPUT * width + unit, lanes);
                const Vector<T> active = load(values.actives + index * width + unit, lanes);
                const Vector<T> before = load_if(cell_before, unit, lanes);
                const Vector<T> dh = load(hidden_grads.row(j) + unit) + load(values.hidden_grad + row * width + unit, lanes);
                Vector<T> parts_of[GATES];
                parts_of[OUTPUT] = slope(net.gate, o, dh * active);
                Vector<T> dc = load(cell_grads.row(j) + unit) + load_if(values.cell_grad, row * width + unit, lanes);
                dc += slope(net.cell, active, dh * o);
                if (net.peepholes) dc = multiply_add(parts_of[OUTPUT], load(see.row(2) + unit), dc);
                parts_of[CANDIDATE] = slope(net.candidate, c, dc * i);
                parts_of[INPUT] = slope(net.gate, i, dc * c);
                parts_of[FORGET] = slope(net.gate, f, dc * before);
                dc *= f;
                if (net.peepholes) {
                    dc = multiply_add(parts_of[INPUT], load(see.row(0) + unit), dc);
                    dc = multiply_add(parts_of[FORGET], load(see.row(1) + unit), dc);
                    const Vector<T> cell = load(values.cells + row * width + unit, lanes);
                    const Vector<T> seen[PEEPHOLES] = {before, before, cell};
                    for (int p = 0; p < PEEPHOLES; p++) {
                        T* sum = sums.row(GATES + p) + unit;
                        store(sum, multiply_add(parts_of[INPUT + p], seen[p], load(sum)));
                    }
                }
                store(cell_grads.row(j) + unit, dc);
                store(values.before + row * width + unit, load_if(hidden_before, unit, lanes), lanes);
                for (int g = 0; g < GATES; g++) {
                    store(grad + g * width + unit, parts_of[g], lanes);
                    store(part + g * width + unit, parts_of[g], lanes);
                    store(sums.row(g) + unit, load(sums.row(g) + unit) + parts_of[g]);
                }
            }
        }
        // Sums of sums: one running sum over all rows would lose digits.
        for (int64_t i = 0; i < biases; i++)
            for (int64_t unit = 0; unit < width; unit++) totals.row(i)[unit] += sums.row(i)[unit], sums.row(i)[unit] = 0;
        if (!t && !values.first_hidden_grad) continue;
        for (int64_t unit = 0; unit < width; unit += 2 * LANES<T>)
            for (int64_t j = 0; j < count; j += ROWS) {
                const int64_t rows = count - j < ROWS ? count - j : ROWS;
                Vector<T> products[ROWS][2];
                panels.multiply(parts.row(j), parts.stride, rows, unit / (2 * LANES<T>), products);
                for (int64_t r = 0; r < rows; r++)
                    for (int v = 0; v < 2 && unit + v * LANES<T> < width; v++)
                        store(hidden_grads.row(j + r) + unit + v * LANES<T>, products[r][v]);
            }
    }
    for (int64_t i = 0; i < biases; i++)
        std::memcpy(values.bias_grads + (share.first * biases + i) * width, totals.row(i), width * sizeof(T));
    for (int64_t j = 0; j < sequences; j++) {
        const int64_t to = steps.order[share.sequence(j)] * width;
        if (values.first_hidden_grad) std::memcpy(values.first_hidden_grad + to, hidden_grads.row(j), width * sizeof(T));
        if (values.first_cell_grad) std::memcpy(values.first_cell_grad + to, cell_grads.row(j), width * sizeof(T));
    }
}

template <class T>
int64_t run_forward(const Lstm<T>& net, const Forward<T>& values, int64_t threads) {
    const int64_t width = net.steps.width;
    const Panels<T, GATES> panels(
        width, width, false, [&](int64_t k, int v, int64_t unit) { return net.weight[(k * GATES + v) * width + unit]; });
    share(net.steps, threads, [&](const Share& share) { forward(net, values, panels, share); });
    return 0;
}

template <class T>
int64_t run_backward(const Lstm<T>& net, const Backward<T>& values, int64_t threads) {
    const int64_t width = net.steps.width;
    const Panels<T, 2> panels(
        GATES * width, width, true, [&](int64_t k, int, int64_t unit) { return net.weight[unit * GATES * width + k]; });
    share(net.steps, threads, [&](const Share& share) { backward(net, values, panels, share); });
    return 0;
}

}  // namespace

#define NET(T)                                                                                                            \
    const int64_t *rows, const int64_t *sizes, const int64_t *starts, const int64_t *order, int64_t count, int64_t width, \
        const T *weight, const T *bias, const T *h0, const T *c0, bool peepholes, int64_t gate, int64_t cell,             \
        int64_t candidate, int64_t threads
#define MAKE_NET                                                                           \
    {                                                                                      \
        {rows, sizes, starts, order, count, width}, weight, bias, h0, c0, peepholes,       \
            Activation(gate), Activation(cell), Activation(candidate)                      \
    }
#define LSTM(T, NAME)                                                                                                        \
    REFLUID_API int64_t lstm_forward_##NAME(NET(T), const T* input, T* hidden, T* cells, T* gates, T* actives) {             \
        return run_forward<T>(MAKE_NET, {input, hidden, cells, gates, actives}, threads);                                    \
    }                                                                                                                        \
    REFLUID_API int64_t lstm_backward_##NAME(                                                                                \
        NET(T), const T* hidden, const T* cells, const T* gates, const T* actives, const T* hidden_grad, const T* cell_grad, \
        T* input_grad, T* before, T* first_hidden_grad, T* first_cell_grad, T* bias_grads) {                                 \
        return run_backward<T>(                                                                                              \
            MAKE_NET, {hidden, cells, gates, actives, hidden_grad, cell_grad, input_grad, before, first_hidden_grad,         \
                       first_cell_grad, bias_grads}, threads);                                                               \
    }
LSTM(float, float32)
LSTM(double, float64)
