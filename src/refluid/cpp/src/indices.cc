// The check of indices that come from outside, as an operator that compiled models call before every lookup by them.
#include "indices.h"

#include <ATen/ops/empty_like.h>
#include <torch/library.h>

#include <algorithm>
#include <sstream>
#include <utility>

namespace refluid {

namespace {

thread_local std::string wrong_index;

// Models run on in spite of a wrong index, with index 0 in its place: an exception may not cross compiled code.
template <typename Index>
void Check(const at::Tensor& from, const at::Tensor& to, int64_t size, bool negative, c10::string_view where) {
  const Index* in = from.const_data_ptr<Index>();
  Index* out = to.mutable_data_ptr<Index>();
  const int64_t first = negative ? -size : 0;
  for (int64_t i = 0; i < from.numel(); ++i) {
    const int64_t index = in[i];
    const bool is_inside = index >= first && index < size;
    out[i] = is_inside ? in[i] : Index{0};
    if (!is_inside && wrong_index.empty()) {
      std::ostringstream text;
      text << where << " has the indices " << first << " to " << size - 1 << ", got " << index << " at position " << i;
      wrong_index = text.str();
    }
  }
}

at::Tensor Checked(const at::Tensor& indices, int64_t size, bool negative, c10::string_view where) {
  const at::Tensor from = indices.contiguous();
  at::Tensor to = at::empty_like(from);
  if (from.scalar_type() == at::kLong) {
    Check<int64_t>(from, to, size, negative, where);
  } else {
    Check<int32_t>(from, to, size, negative, where);
  }
  return to;
}

}  // namespace

std::string TakeWrongIndex() { return std::exchange(wrong_index, {}); }

// The schema is that of refluid/export/to_cpp/indices.py.
TORCH_LIBRARY_FRAGMENT(refluid, library) {
  library.def("checked(Tensor indices, SymInt size, bool negative, str where) -> Tensor");
}

TORCH_LIBRARY_IMPL(refluid, CPU, library) { library.impl("checked", Checked); }

}  // namespace refluid
