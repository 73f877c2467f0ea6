// Suppression of boxes that show the same again: axis-parallel boxes and polygons.
#include "common.h"
#include "polygons.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace refluid {

// Overlaps are asked in groups of this many: a group is one loop without branches, which vectorises.
constexpr int64_t kGroup = 16;

// The greatest and the least of values. Lanes of their own let the compiler use vectors: it must not reorder by itself.
template <typename T>
T greatest(const std::vector<T>& values, T most) {
  T lanes[kGroup];
  std::fill(lanes, lanes + kGroup, most);
  const size_t whole = values.size() / kGroup * kGroup;
  for (size_t start = 0; start < whole; start += kGroup)
    for (int64_t k = 0; k < kGroup; ++k) lanes[k] = values[start + k] > lanes[k] ? values[start + k] : lanes[k];
  for (size_t k = whole; k < values.size(); ++k) lanes[0] = std::max(lanes[0], values[k]);
  return *std::max_element(lanes, lanes + kGroup);
}

template <typename T>
T least(const std::vector<T>& values, T low) {
  T lanes[kGroup];
  int nan = 0;
  std::fill(lanes, lanes + kGroup, low);
  const size_t whole = values.size() / kGroup * kGroup;
  for (size_t start = 0; start < whole; start += kGroup)
    for (int64_t k = 0; k < kGroup; ++k) lanes[k] = values[start + k] < lanes[k] ? values[start + k] : lanes[k];
  for (size_t k = whole; k < values.size(); ++k) lanes[0] = values[k] < lanes[0] ? values[k] : lanes[0];
  for (size_t k = 0; k < values.size(); ++k) nan |= values[k] != values[k];
  return nan ? std::numeric_limits<T>::quiet_NaN() : *std::min_element(lanes, lanes + kGroup);
}

// The boxes that were kept so far, column by column.
template <typename T>
struct KeptBoxes {
  std::vector<T> left, top, right, bottom, size;
  T more;

  explicit KeptBoxes(bool normalized) : more(normalized ? T(0) : T(1)) {}

  T area(const T* box) const {
    return (box[2] - box[0] + more) * (box[3] - box[1] + more) * T(box[2] >= box[0] && box[3] >= box[1]);
  }

  void add(const T* box) {
    left.push_back(box[0]);
    top.push_back(box[1]);
    right.push_back(box[2]);
    bottom.push_back(box[3]);
    size.push_back(area(box));
  }

  // Intersection over union of a box with those from `start` to `stop`.
  void ratios(const T* box, int64_t start, int64_t stop, T* __restrict out) const {
    const T x0 = box[0], y0 = box[1], x1 = box[2], y1 = box[3], own = area(box), one = more;
    const T *l = left.data(), *t = top.data(), *r = right.data(), *b = bottom.data(), *sizes = size.data();
    for (int64_t k = start; k < stop; ++k) {
      const T wide = std::min(r[k], x1) - std::max(l[k], x0);
      const T high = std::min(b[k], y1) - std::max(t[k], y0);
      const T shared = (wide + one) * (high + one) * T((wide >= 0) & (high >= 0));
      out[k - start] = shared > 0 ? shared / (sizes[k] + own - shared) : T(0);
    }
  }

  // Whether the box overlaps any of them by more than the threshold.
  bool overlap(const T* box, T threshold) const {
    const int64_t count = static_cast<int64_t>(left.size());
    T found[kGroup];
    for (int64_t start = 0; start < count; start += kGroup) {
      const int64_t stop = std::min(start + kGroup, count);
      ratios(box, start, stop, found);
      int above = 0;
      for (int64_t k = 0; k < stop - start; ++k) above |= !(found[k] <= threshold);
      if (above) return true;
    }
    return false;
  }
};

template <typename T>
struct KeptPolygons {
  std::vector<Polygon> kept;
  int64_t numbers;

  explicit KeptPolygons(int64_t numbers) : numbers(numbers) {}

  void add(const T* polygon) { kept.emplace_back(polygon, numbers); }

  bool overlap(const T* polygon, T threshold) const {
    const Polygon other(polygon, numbers);
    for (const Polygon& one : kept)
      if (!(T(polygon_overlap(one, other)) <= threshold)) return true;
    return false;
  }
};

// Which candidates stay, in order. `order` lists the candidates, the best first; -1 of `most` is any number.
template <typename T, typename Kept>
int64_t suppress(Kept kept, const T* boxes, int64_t stride, const int64_t* order, int64_t count, double threshold,
                 double eta, int64_t most, int64_t* out) {
  int64_t found = 0;
  for (int64_t i = 0; i < count && found != most; ++i) {
    const T* box = boxes + order[i] * stride;
    if (found && kept.overlap(box, T(threshold))) continue;
    kept.add(box);
    out[found++] = order[i];
    if (eta < 1 && threshold > 0.5) threshold *= eta;
  }
  return found;
}

template <typename T>
int64_t suppress_kind(int64_t numbers, bool normalized, const T* boxes, int64_t stride, const int64_t* order,
                      int64_t count, double threshold, double eta, int64_t most, int64_t* out) {
  if (numbers == 4)
    return suppress(KeptBoxes<T>(normalized), boxes, stride, order, count, threshold, eta, most, out);
  return suppress(KeptPolygons<T>(numbers), boxes, stride, order, count, threshold, eta, most, out);
}

// The candidates of one class above the score threshold, the best `top_k` of them, suppressed.
template <typename T>
int64_t choose(const T* boxes, int64_t stride, int64_t numbers, const T* scores, int64_t score_stride, int64_t count,
               double score_threshold, int64_t top_k, bool normalized, double threshold, double eta, int64_t* out) {
  std::vector<int64_t> order;
  for (int64_t i = 0; i < count; ++i)
    if (scores[i * score_stride] > T(score_threshold)) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [=](int64_t a, int64_t b) {
    return scores[a * score_stride] > scores[b * score_stride];
  });
  if (top_k >= 0 && top_k < static_cast<int64_t>(order.size())) order.resize(top_k);
  return suppress_kind(numbers, normalized, boxes, stride, order.data(), order.size(), threshold, eta, -1, out);
}

// Neighbours that overlap by more than the threshold become their mean by scores, in place; returns how many are left.
template <typename T, typename Kept>
int64_t merge_neighbours(const Kept& none, T* boxes, int64_t numbers, T* scores, int64_t count, double threshold) {
  int64_t last = -1;
  Kept before = none;  // the last one alone
  for (int64_t i = 0; i < count; ++i) {
    const T* box = boxes + i * numbers;
    T* merged = boxes + last * numbers;
    if (last >= 0 && before.overlap(box, T(threshold))) {
      const T total = scores[i] + scores[last];
      for (int64_t k = 0; k < numbers; ++k) merged[k] = (box[k] * scores[i] + merged[k] * scores[last]) / total;
      scores[last] = total;
    } else {
      ++last;
      merged = boxes + last * numbers;
      if (last != i) std::copy(box, box + numbers, merged);
      scores[last] = scores[i];
    }
    before = none;
    before.add(merged);
  }
  return last + 1;
}

// Intersection over union of every box [rows, 4] with every box [columns, 4].
template <typename T>
void overlaps(const T* first, int64_t rows, const T* second, int64_t columns, bool normalized, T* out) {
  KeptBoxes<T> all(normalized);
  for (int64_t j = 0; j < columns; ++j) all.add(second + j * 4);
  for (int64_t i = 0; i < rows; ++i) all.ratios(first + i * 4, 0, columns, out + i * columns);
}

// How anchors [anchors, 4] lie to the boxes of objects [boxes, 4]: the greatest overlap of every anchor, the box that it
// is with, and whether it is, but for `same`, the greatest that this box has with any anchor.
template <typename T>
void nearest_boxes(const T* anchors, int64_t count, const T* boxes, int64_t objects, bool normalized, double same,
                   T* highest, int64_t* which, bool* nearest) {
  KeptBoxes<T> all(normalized);
  for (int64_t i = 0; i < count; ++i) all.add(anchors + i * 4);
  std::vector<T> row(count);
  for (int64_t j = 0; j < objects; ++j) {
    all.ratios(boxes + j * 4, 0, count, row.data());
    const T most = greatest(row, T(0)), distance = T(same);
    const T* found = row.data();
    for (int64_t i = 0; i < count; ++i) nearest[i] |= std::abs(found[i] - most) < distance;
    for (int64_t i = 0; i < count; ++i) which[i] = found[i] > highest[i] ? j : which[i];
    for (int64_t i = 0; i < count; ++i) highest[i] = found[i] > highest[i] ? found[i] : highest[i];
  }
}

// What matrix NMS leaves of the score of every candidate, the best first, before exp where it is Gaussian: the least, over
// the better ones, of how much they overlap beside how much they are themselves overlapped.
template <typename T>
void decay(const T* boxes, int64_t count, bool normalized, bool gaussian, double sigma, T* out) {
  KeptBoxes<T> better(normalized);
  std::vector<T> highest, row, left;
  for (int64_t i = 0; i < count; ++i) {
    const T* box = boxes + i * 4;
    row.resize(i);
    left.resize(i);
    better.ratios(box, 0, i, row.data());
    const T *to = row.data(), *of = highest.data(), factor = T(sigma);
    T* found = left.data();
    if (gaussian)
      for (int64_t j = 0; j < i; ++j) found[j] = (of[j] * of[j] - to[j] * to[j]) * factor;
    else
      for (int64_t j = 0; j < i; ++j) found[j] = (1 - to[j]) / (1 - of[j]);
    out[i] = least(left, gaussian ? T(0) : T(1));
    highest.push_back(greatest(row, T(0)));
    better.add(box);
  }
}

}  // namespace refluid

#define REFLUID_BOXES(T, NAME)                                                                                       \
  REFLUID_API int64_t suppress_##NAME(const T* boxes, int64_t numbers, int64_t count, bool normalized,               \
                                      double threshold, double eta, int64_t most, int64_t* out) {                    \
    std::vector<int64_t> order(count);                                                                               \
    std::iota(order.begin(), order.end(), 0);                                                                        \
    return refluid::suppress_kind(numbers, normalized, boxes, numbers, order.data(), count, threshold, eta, most,    \
                                  out);                                                                              \
  }                                                                                                                  \
  REFLUID_API int64_t choose_##NAME(const T* boxes, int64_t stride, int64_t numbers, const T* scores,                \
                                    int64_t score_stride, int64_t count, double score_threshold, int64_t top_k,      \
                                    bool normalized, double threshold, double eta, int64_t* out) {                   \
    return refluid::choose(boxes, stride, numbers, scores, score_stride, count, score_threshold, top_k, normalized,  \
                           threshold, eta, out);                                                                     \
  }                                                                                                                  \
  REFLUID_API int64_t merge_neighbours_##NAME(T* boxes, int64_t numbers, T* scores, int64_t count, bool normalized,  \
                                              double threshold) {                                                    \
    if (numbers == 4)                                                                                                \
      return refluid::merge_neighbours(refluid::KeptBoxes<T>(normalized), boxes, numbers, scores, count, threshold); \
    return refluid::merge_neighbours(refluid::KeptPolygons<T>(numbers), boxes, numbers, scores, count, threshold);   \
  }                                                                                                                  \
  REFLUID_API void overlaps_##NAME(const T* first, int64_t rows, const T* second, int64_t columns, bool normalized,  \
                                   T* out) {                                                                         \
    refluid::overlaps(first, rows, second, columns, normalized, out);                                                \
  }                                                                                                                  \
  REFLUID_API void nearest_boxes_##NAME(const T* anchors, int64_t count, const T* boxes, int64_t objects,            \
                                        bool normalized, double same, T* highest, int64_t* which, bool* nearest) {   \
    refluid::nearest_boxes(anchors, count, boxes, objects, normalized, same, highest, which, nearest);               \
  }                                                                                                                  \
  REFLUID_API void decay_##NAME(const T* boxes, int64_t count, bool normalized, bool gaussian, double sigma,         \
                                T* out) {                                                                            \
    refluid::decay(boxes, count, normalized, gaussian, sigma, out);                                                  \
  }

REFLUID_BOXES(float, float32)
REFLUID_BOXES(double, float64)
