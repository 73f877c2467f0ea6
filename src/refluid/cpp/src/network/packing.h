// Filters and matrices in the order in which the kernel reads them; see refluid/executor/network/packing.py.
#pragma once

#include <map>
#include <tuple>

#include "memory.h"
#include "shapes.h"

namespace refluid::network {

class Packer {
 public:
  Packer(const std::vector<Parameter>& parameters, int64_t lanes) : parameters_(parameters), lanes_(lanes) {}

  // A filter, or a matrix as a filter of the size of the image that it is multiplied with.
  const float* Weights(int64_t parameter, const Shape& shape);
  // A filter of 3 x 3, transformed for Winograd's patches: [pair of blocks of filters][16][channel][filter].
  const float* Transformed(int64_t parameter);
  const float* Bias(int64_t parameter, int64_t blocks);

 private:
  const std::vector<Parameter>& parameters_;
  int64_t lanes_;
  std::map<std::tuple<char, int64_t, int64_t, int64_t>, Memory> packed_;  // kept: all shapes of inputs share them
};

}  // namespace refluid::network
