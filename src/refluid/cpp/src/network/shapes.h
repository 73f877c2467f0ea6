// How the values of a network lie in memory for inputs of given shapes; see refluid/executor/network/shapes.py.
#pragma once

#include <map>

#include "layers.h"

namespace refluid::network {

// Thrown for inputs for which there are no steps: the compiled model computes them.
struct CannotPlan {};

struct Shape {
  int64_t channels, rows, columns;
  int64_t rank;  // 4: an image; 2: channels alone
  int64_t lanes;
  int64_t margin_y = 0, margin_x = 0;

  int64_t Blocks() const { return (channels + lanes - 1) / lanes; }
  std::array<int64_t, 4> Strides() const;  // in elements, between images, blocks, rows and columns
  Sizes SizesOf(int64_t images) const;
};

std::map<int64_t, Shape> PlanShapes(const Description& network, const std::vector<Sizes>& inputs, int64_t lanes);

// Whether a convolution goes by Winograd's patches.
bool ByPatches(const Layer& layer, const Shape& x, const Shape& out, const Sizes& filters);

}  // namespace refluid::network
