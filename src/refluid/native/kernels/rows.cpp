// Adding rows to some rows of tables.
#include "common.h"

namespace refluid {

constexpr int64_t AHEAD = 16;  // rows of a table that are fetched while others are added: they lie anywhere
constexpr int64_t LINE = 64;   // bytes

// total[index[i]] += scale * value[i], where rows of `value` are `stride` elements apart.
template <typename T>
struct Job {
  T* total;
  int64_t height, width;
  const int64_t* index;
  int64_t count;
  const T* value;
  int64_t stride;

  bool is_inside() const {
    for (int64_t i = 0; i < count; ++i)
      if (index[i] < 0 || index[i] >= height) return false;
    return true;
  }

  void prefetch(int64_t i) const {
    const char* row = reinterpret_cast<const char*>(total + index[i] * width);
    const int64_t bytes = width * int64_t(sizeof(T));
    for (int64_t at = 0; at < bytes && at < 4 * LINE; at += LINE) __builtin_prefetch(row + at, 1);
  }

  void run(T scale) const {
    for (int64_t i = 0; i < count && i < AHEAD; ++i) prefetch(i);
    for (int64_t i = 0; i < count; ++i) {
      if (i + AHEAD < count) prefetch(i + AHEAD);
      T* to = total + index[i] * width;
      const T* from = value + i * stride;
      for (int64_t j = 0; j < width; ++j) to[j] += scale * from[j];
    }
  }
};

// -1, and nothing is changed, if an index is outside of its table.
template <typename T>
int64_t add_rows(const Job<T>* jobs, const double* scales, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (!jobs[i].is_inside()) return -1;
  for (int64_t i = 0; i < count; ++i) jobs[i].run(T(scales[i]));
  return 0;
}

}  // namespace refluid

REFLUID_API int64_t add_rows_float32(const refluid::Job<float>* jobs, const double* scales, int64_t count) {
  return refluid::add_rows(jobs, scales, count);
}

REFLUID_API int64_t add_rows_float64(const refluid::Job<double>* jobs, const double* scales, int64_t count) {
  return refluid::add_rows(jobs, scales, count);
}
