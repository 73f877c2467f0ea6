#include "packing.h"

#include <algorithm>

namespace refluid::network {

namespace {

int64_t BlocksOf(int64_t count, int64_t lanes) { return (count + lanes - 1) / lanes; }

// Where filter `f` of a row lies among `depth` rows of pairs of blocks; the last block may be single.
int64_t Position(int64_t f, int64_t row, int64_t rows, int64_t blocks, int64_t lanes) {
  const int64_t pair = f / (2 * lanes), start = pair * 2 * lanes * rows;
  const int64_t width = pair * 2 + 1 < blocks ? 2 * lanes : lanes;
  return start + row * width + f % (2 * lanes);
}

}  // namespace

const float* Packer::Weights(int64_t parameter, const Shape& shape) {
  Memory& packed = packed_[{'w', parameter, shape.channels, shape.lanes}];
  if (packed.data() != nullptr) return packed.data();
  const Parameter& from = parameters_[parameter];
  const bool is_matrix = from.sizes.size() == 2;
  const int64_t count = from.sizes[is_matrix ? 1 : 0], channels = shape.channels;
  const int64_t cells = is_matrix ? from.sizes[0] / channels : from.sizes[2] * from.sizes[3];
  const int64_t blocks = BlocksOf(count, lanes_), depth = channels * cells;
  const int64_t whole = channels - channels % shape.lanes, rest = channels - whole;
  packed = Memory(blocks * lanes_ * depth);
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t cell = 0; cell < cells; ++cell) {
      const int64_t row = c < whole ? (c / shape.lanes * cells + cell) * shape.lanes + c % shape.lanes
                                    : whole * cells + cell * rest + c - whole;
      for (int64_t f = 0; f < count; ++f) {
        const int64_t source = is_matrix ? (c * cells + cell) * count + f : (f * channels + c) * cells + cell;
        packed.data()[Position(f, row, depth, blocks, lanes_)] = from.values[source];
      }
    }
  }
  return packed.data();
}

const float* Packer::Transformed(int64_t parameter) {
  static constexpr double kMatrix[4][3] = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
  Memory& packed = packed_[{'t', parameter, 0, 0}];
  if (packed.data() != nullptr) return packed.data();
  const Parameter& from = parameters_[parameter];
  const int64_t count = from.sizes[0], channels = from.sizes[1];
  const int64_t blocks = BlocksOf(count, lanes_), depth = BlocksOf(channels, lanes_) * lanes_;
  packed = Memory(blocks * lanes_ * depth * 16);
  for (int64_t f = 0; f < count; ++f) {
    for (int64_t c = 0; c < channels; ++c) {
      const float* filter = from.values.data() + (f * channels + c) * 9;
      for (int64_t i = 0; i < 16; ++i) {
        double sum = 0;
        for (int64_t k = 0; k < 9; ++k) sum += kMatrix[i / 4][k / 3] * filter[k] * kMatrix[i % 4][k % 3];
        packed.data()[Position(f, i * depth + c, 16 * depth, blocks, lanes_)] = static_cast<float>(sum);
      }
    }
  }
  return packed.data();
}

const float* Packer::Bias(int64_t parameter, int64_t blocks) {
  Memory& packed = packed_[{'b', parameter, blocks, 0}];
  if (packed.data() != nullptr) return packed.data();
  packed = Memory(blocks * lanes_);
  if (parameter != kNone) {
    const std::vector<float>& values = parameters_[parameter].values;
    std::copy(values.begin(), values.end(), packed.data());
  }
  return packed.data();
}

}  // namespace refluid::network
