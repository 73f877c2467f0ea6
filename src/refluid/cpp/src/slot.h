// The state behind a ZeroCopyTensor, and the checks that inputs go through.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "package.h"

namespace refluid {
using LoD = std::vector<std::vector<size_t>>;

// Whether a shape is one that an input takes.
void CheckShape(const Value& value, const std::vector<int>& shape);

// Whether the offsets of every level begin with 0, never fall, and end with the number of entries below.
void CheckLoD(const Value& value, const LoD& lod, int64_t rows);

// A level as lengths, and back.
at::Tensor ToLengths(const std::vector<size_t>& offsets);
std::vector<size_t> ToOffsets(const at::Tensor& lengths);
}  // namespace refluid

struct paddle::ZeroCopyTensor::Slot {
  refluid::Value value;
  bool is_input;
  std::vector<int> shape;  // as Reshape has set it
  at::Tensor tensor;       // undefined until there is data
  refluid::LoD lod;
};
