// Runs of pointwise operators on small tensors as one call (executor/pointwise): a list of instructions is interpreted
// block by block, so that what one of them gives is in the first cache when the next one reads it.
#include "floats.h"

namespace {

using namespace floats;

constexpr int64_t BLOCK = 256;   // columns
constexpr int64_t SCRATCH = 16;  // registers that are not in memory; ops/pointwise.py knows it too

// As ops/pointwise.py numbers them.
enum Opcode : int64_t {
    ADD,
    SUBTRACT,
    MULTIPLY,
    SIGMOID_ACTIVATION,
    TANH_ACTIVATION,
    RELU_ACTIVATION,
    SIGMOID_SLOPE,
    TANH_SLOPE,
    RELU_SLOPE,
    TIMES,
    PLUS,
    COPY
};

// Registers are numbered: operands in memory first, then scratch.
struct Instruction {
    Opcode opcode;
    int64_t to, a, b;
    double number;
};

struct Program {
    int64_t count, operands;
    const Instruction* instructions() const { return reinterpret_cast<const Instruction*>(this + 1); }
};

// Rows of adjacent numbers.
struct Operand {
    float* data;
    int64_t stride;
};

struct Call {
    int64_t rows, columns;
    const Operand* operands() const { return reinterpret_cast<const Operand*>(this + 1); }
};

typedef Vector<float> V;

// The last vector begins earlier where that is possible: what it shares with the one before is computed twice. So no
// result may lie where an argument does.
template <class F>
inline __attribute__((always_inline)) void each(float* to, const float* a, const float* b, int64_t count, const F& f) {
    constexpr int64_t STEP = LANES<float>;
    if (count < STEP) return store(to, f(load(a, count), load(b, count)), count);
    int64_t i = 0;
    for (; i + STEP <= count; i += STEP) store(to + i, f(load(a + i), load(b + i)));
    if (i < count) store(to + count - STEP, f(load(a + count - STEP), load(b + count - STEP)));
}

// ATen gives 0 where the exponential is infinite.
inline V whole_sigmoid(V x) { return x < -88.0f ? V{} : sigmoid(x); }

__attribute__((noinline)) void perform(
    const Instruction& step, float* to, const float* a, const float* b, int64_t count) {
    const V number = all(float(step.number));
    switch (step.opcode) {
        case ADD: return each(to, a, b, count, [](V x, V y) { return x + y; });
        case SUBTRACT: return each(to, a, b, count, [](V x, V y) { return x - y; });
        case MULTIPLY: return each(to, a, b, count, [](V x, V y) { return x * y; });
        case SIGMOID_ACTIVATION: return each(to, a, a, count, [](V x, V) { return whole_sigmoid(x); });
        case TANH_ACTIVATION: return each(to, a, a, count, [](V x, V) { return hyperbolic_tangent(x); });
        case RELU_ACTIVATION: return each(to, a, a, count, [](V x, V) { return x < 0.0f ? V{} : x; });
        case SIGMOID_SLOPE: return each(to, a, b, count, [](V y, V grad) { return grad * (1.0f - y) * y; });
        case TANH_SLOPE: return each(to, a, b, count, [](V y, V grad) { return grad * (1.0f - y * y); });
        case RELU_SLOPE: return each(to, a, b, count, [](V y, V grad) { return y <= 0.0f ? V{} : grad; });
        case TIMES: return each(to, a, a, count, [=](V x, V) { return x * number; });
        case PLUS: return each(to, a, a, count, [=](V x, V) { return x + number; });
        case COPY: return each(to, a, a, count, [](V x, V) { return x; });
    }
}

}  // namespace

REFLUID_API void pointwise_run(const Program* program, const Call* call) {
    alignas(BYTES) float scratch[SCRATCH][BLOCK];
    const Operand* operands = call->operands();
    const Instruction *first = program->instructions(), *end = first + program->count;
    int64_t rows = call->rows, columns = call->columns;
    bool dense = true;
    for (int64_t i = 0; i < program->operands; i++) dense = dense && operands[i].stride == columns;
    if (dense) columns *= rows, rows = 1;
    for (int64_t row = 0; row < rows; row++)
        for (int64_t column = 0; column < columns; column += BLOCK) {
            const int64_t count = columns - column < BLOCK ? columns - column : BLOCK;
            auto place = [&](int64_t index) {
                if (index >= program->operands) return scratch[index - program->operands];
                return operands[index].data + row * operands[index].stride + column;
            };
            for (const Instruction* step = first; step != end; step++)
                perform(*step, place(step->to), place(step->a), place(step->b), count);
        }
}
