// ZeroCopyTensor, and the checks of shapes and LoD that all inputs share.
#include <ATen/ops/empty.h>

#include <cstring>
#include <numeric>

#include "errors.h"
#include "slot.h"

namespace refluid {

void CheckShape(const Value& value, const std::vector<int>& shape) {
  bool fits = shape.size() == value.shape.size();
  for (size_t axis = 0; fits && axis < shape.size(); ++axis) {
    fits = value.shape[axis] < 0 ? shape[axis] >= 0 : shape[axis] == value.shape[axis];
  }
  if (!fits) Refuse("input '", value.name, "': expected the shape ", Show(value.shape), ", got ", Show(shape));
}

void CheckLoD(const Value& value, const LoD& lod, int64_t rows) {
  if (static_cast<int>(lod.size()) != value.levels) {
    Refuse("input '", value.name, "': expected a LoD of ", value.levels, " levels, got ", lod.size());
  }
  for (size_t level = 0; level < lod.size(); ++level) {
    const std::vector<size_t>& offsets = lod[level];
    const bool inner = level + 1 == lod.size();
    if (offsets.empty() || offsets[0] != 0) {
      Refuse("input '", value.name, "': the offsets of a LoD begin with 0, got ", Show(offsets));
    }
    for (size_t i = 1; i < offsets.size(); ++i) {
      if (offsets[i] < offsets[i - 1]) {
        Refuse("input '", value.name, "': the offsets of a LoD never fall, got ", Show(offsets));
      }
    }
    const size_t below = inner ? static_cast<size_t>(rows) : lod[level + 1].size() - 1;
    if (offsets.back() != below) {
      Refuse("input '", value.name, "': the LoD ", Show(offsets), " ends with ", offsets.back(), ", but there are ",
             below, inner ? " rows" : " sequences in the next level");
    }
  }
}

at::Tensor ToLengths(const std::vector<size_t>& offsets) {
  at::Tensor lengths = at::empty({static_cast<int64_t>(offsets.size()) - 1}, at::kLong);
  int64_t* out = lengths.data_ptr<int64_t>();
  for (size_t i = 1; i < offsets.size(); ++i) out[i - 1] = static_cast<int64_t>(offsets[i] - offsets[i - 1]);
  return lengths;
}

std::vector<size_t> ToOffsets(const at::Tensor& lengths) {
  const at::Tensor flat = lengths.to(at::kLong).contiguous();
  const int64_t* in = flat.data_ptr<int64_t>();
  std::vector<size_t> offsets(flat.numel() + 1, 0);
  for (int64_t i = 0; i < flat.numel(); ++i) offsets[i + 1] = offsets[i] + static_cast<size_t>(in[i]);
  return offsets;
}

namespace {

template <typename T>
struct Element;
template <>
struct Element<float> {
  static constexpr paddle::PaddleDType kDtype = paddle::FLOAT32;
};
template <>
struct Element<int64_t> {
  static constexpr paddle::PaddleDType kDtype = paddle::INT64;
};
template <>
struct Element<int32_t> {
  static constexpr paddle::PaddleDType kDtype = paddle::INT32;
};
template <>
struct Element<uint8_t> {
  static constexpr paddle::PaddleDType kDtype = paddle::UINT8;
};

constexpr const char* kNames[] = {"float", "int64_t", "int32_t", "uint8_t"};

template <typename T>
void CheckType(const paddle::ZeroCopyTensor::Slot& slot) {
  const paddle::PaddleDType held = ToPaddle(slot.value.dtype, slot.value.name);
  if (held != Element<T>::kDtype) {
    Refuse((slot.is_input ? "input '" : "output '"), slot.value.name, "': expected elements of ", kNames[held],
           ", got ", kNames[Element<T>::kDtype]);
  }
}

const at::Tensor& Held(const paddle::ZeroCopyTensor::Slot& slot) {
  if (!slot.tensor.defined()) {
    Refuse((slot.is_input ? "input '" : "output '"), slot.value.name, "': there is no data yet; call ",
           slot.is_input ? "copy_from_cpu or mutable_data" : "ZeroCopyRun");
  }
  return slot.tensor;
}

}  // namespace
}  // namespace refluid

namespace paddle {

ZeroCopyTensor::ZeroCopyTensor(std::shared_ptr<Slot> slot) : slot_(std::move(slot)) {}
ZeroCopyTensor::~ZeroCopyTensor() = default;

void ZeroCopyTensor::Reshape(const std::vector<int>& shape) {
  if (!slot_->is_input) refluid::Refuse("output '", slot_->value.name, "': the model decides its shape");
  refluid::CheckShape(slot_->value, shape);
  slot_->shape = shape;
}

template <typename T>
T* ZeroCopyTensor::mutable_data(PaddlePlace place) {
  Slot& slot = *slot_;
  if (!slot.is_input) refluid::Refuse("output '", slot.value.name, "': it is read with data or copy_to_cpu");
  if (place == PaddlePlace::kGPU) refluid::Refuse("input '", slot.value.name, "': there is no GPU here; use kCPU");
  refluid::CheckType<T>(slot);
  if (slot.shape.empty() && !slot.value.shape.empty()) {
    refluid::Refuse("input '", slot.value.name, "': call Reshape first");
  }
  const std::vector<int64_t> sizes(slot.shape.begin(), slot.shape.end());
  if (!slot.tensor.defined() || slot.tensor.sizes() != c10::IntArrayRef(sizes)) {
    slot.tensor = at::empty(sizes, slot.value.dtype);
  }
  return static_cast<T*>(slot.tensor.data_ptr());
}

template <typename T>
T* ZeroCopyTensor::data(PaddlePlace* place, int* size) const {
  refluid::CheckType<T>(*slot_);
  const at::Tensor& tensor = refluid::Held(*slot_);
  if (place != nullptr) *place = PaddlePlace::kCPU;
  if (size != nullptr) *size = static_cast<int>(tensor.numel());
  return static_cast<T*>(tensor.data_ptr());
}

template <typename T>
void ZeroCopyTensor::copy_from_cpu(const T* data) {
  T* out = mutable_data<T>(PaddlePlace::kCPU);
  if (data == nullptr) refluid::Refuse("input '", slot_->value.name, "': copy_from_cpu got nullptr");
  std::memcpy(out, data, slot_->tensor.nbytes());
}

template <typename T>
void ZeroCopyTensor::copy_to_cpu(T* data) {
  const T* in = this->data<T>(nullptr, nullptr);
  if (data == nullptr) refluid::Refuse("'", slot_->value.name, "': copy_to_cpu got nullptr");
  std::memcpy(data, in, slot_->tensor.nbytes());
}

#define REFLUID_FOR(T)                                                                \
  template PADDLE_INFER_API T* ZeroCopyTensor::mutable_data<T>(PaddlePlace);          \
  template PADDLE_INFER_API T* ZeroCopyTensor::data<T>(PaddlePlace*, int*) const;     \
  template PADDLE_INFER_API void ZeroCopyTensor::copy_from_cpu<T>(const T*);          \
  template PADDLE_INFER_API void ZeroCopyTensor::copy_to_cpu<T>(T*);
REFLUID_FOR(float)
REFLUID_FOR(int64_t)
REFLUID_FOR(int32_t)
REFLUID_FOR(uint8_t)
#undef REFLUID_FOR

std::vector<int> ZeroCopyTensor::shape() const {
  if (slot_->is_input && !slot_->tensor.defined()) return slot_->shape;
  const auto sizes = refluid::Held(*slot_).sizes();
  return {sizes.begin(), sizes.end()};
}

void ZeroCopyTensor::SetLoD(const std::vector<std::vector<size_t>>& lod) { slot_->lod = lod; }

std::vector<std::vector<size_t>> ZeroCopyTensor::lod() const { return slot_->lod; }

const std::string& ZeroCopyTensor::name() const { return slot_->value.name; }

PaddleDType ZeroCopyTensor::type() const { return refluid::ToPaddle(slot_->value.dtype, slot_->value.name); }

void ZeroCopyTensor::SetPlace(PaddlePlace place, int) {
  if (place == PaddlePlace::kGPU) refluid::Refuse("'", slot_->value.name, "': there is no GPU here; use kCPU");
}

}  // namespace paddle
