// PaddleBuf: bytes that are owned or borrowed.
#include <cstdlib>
#include <cstring>
#include <utility>

#include "errors.h"

namespace paddle {

namespace platform {
EnforceNotMet::EnforceNotMet(const std::string& text) : std::runtime_error(text) {}
EnforceNotMet::~EnforceNotMet() = default;
}  // namespace platform

PaddleBuf::PaddleBuf(size_t length) { Resize(length); }

PaddleBuf::PaddleBuf(void* data, size_t length) { Reset(data, length); }

PaddleBuf::PaddleBuf(const PaddleBuf& other) { *this = other; }

PaddleBuf::PaddleBuf(PaddleBuf&& other) noexcept { *this = std::move(other); }

PaddleBuf& PaddleBuf::operator=(const PaddleBuf& other) {
  if (this == &other) return *this;
  if (!other.owned_) {
    Reset(other.data_, other.length_);
    return *this;
  }
  if (!owned_) Free();
  Resize(other.length_);
  if (other.length_ > 0) std::memcpy(data_, other.data_, other.length_);
  return *this;
}

PaddleBuf& PaddleBuf::operator=(PaddleBuf&& other) noexcept {
  if (this == &other) return *this;
  Free();
  data_ = std::exchange(other.data_, nullptr);
  length_ = std::exchange(other.length_, 0);
  capacity_ = std::exchange(other.capacity_, 0);
  owned_ = std::exchange(other.owned_, true);
  return *this;
}

PaddleBuf::~PaddleBuf() { Free(); }

void PaddleBuf::Free() {
  if (owned_) std::free(data_);
  data_ = nullptr;
  length_ = capacity_ = 0;
  owned_ = true;
}

void PaddleBuf::Resize(size_t length) {
  if (length > capacity_) {
    if (!owned_) {
      refluid::Refuse("PaddleBuf: it holds ", capacity_, " bytes of the caller's memory, which cannot grow to ", length);
    }
    void* grown = std::malloc(length);
    if (grown == nullptr) refluid::Refuse("PaddleBuf: there is no memory for ", length, " bytes");
    std::free(data_);
    data_ = grown;
    capacity_ = length;
  }
  length_ = length;
}

void PaddleBuf::Reset(void* data, size_t length) {
  if (data == nullptr && length > 0) refluid::Refuse("PaddleBuf: expected memory of ", length, " bytes, got nullptr");
  Free();
  data_ = data;
  length_ = capacity_ = length;
  owned_ = false;
}

}  // namespace paddle
