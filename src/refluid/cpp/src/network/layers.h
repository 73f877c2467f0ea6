// A convolutional network as a list of layers, as a package tells it; refluid/executor/network/layers.py says the same.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace refluid::network {

using Sizes = std::vector<int64_t>;
using Pair = std::array<int64_t, 2>;  // rows, columns

constexpr int64_t kNone = -1;

struct Layer {
  std::string kind;  // convolution, product, pooling, addition, rectifier, softmax
  std::vector<int64_t> inputs;
  int64_t output;
  int64_t weights, bias;  // which of the parameters, or kNone
  int64_t residual;       // the value that is added, or kNone
  int64_t rectify;
  Pair strides, paddings, dilations, window;
  int64_t average, exclusive, everything;  // of a pooling; everything: its window is the image

  std::vector<int64_t> Reads() const;
};

struct Parameter {
  Sizes sizes;
  std::vector<float> values;
};

struct Description {
  std::vector<int64_t> inputs, outputs;  // values, which are numbered
  std::vector<Layer> layers;
  std::vector<Parameter> parameters;
};

// Reads the words that refluid/export/to_cpp/network.py writes, and the numbers of all parameters.
Description Parse(const std::string& text, const float* numbers, int64_t count);

}  // namespace refluid::network
