// Zeros that begin at a cache line.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace refluid::network {

class Memory {
 public:
  Memory() = default;
  explicit Memory(int64_t count) {
    const size_t bytes = (static_cast<size_t>(count) * sizeof(float) + kLine - 1) / kLine * kLine + kLine;
    data_.reset(static_cast<float*>(std::aligned_alloc(kLine, bytes)));
    if (data_ == nullptr) throw std::bad_alloc();
    std::memset(data_.get(), 0, bytes);
  }
  float* data() const { return data_.get(); }

 private:
  static constexpr size_t kLine = 64;
  struct Free {
    void operator()(float* data) const { std::free(data); }
  };
  std::unique_ptr<float, Free> data_;
};

}  // namespace refluid::network
