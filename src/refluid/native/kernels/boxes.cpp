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

// Fluid's iou_similarity of every box [rows, 4] with every box [columns, 4]: the union has 1e-10 more. NaN stays NaN.
template <typename T>
void similarity(const T* first, int64_t rows, const T* second, int64_t columns, bool normalized, T* out) {
  const T more = normalized ? T(0) : T(1), tiny = T(1e-10);
  std::vector<T> sides(columns * 5);
  T *l = sides.data(), *t = l + columns, *r = t + columns, *b = r + columns, *sizes = b + columns;
  for (int64_t j = 0; j < columns; ++j) {
    const T* box = second + j * 4;
    l[j] = box[0];
    t[j] = box[1];
    r[j] = box[2];
    b[j] = box[3];
    sizes[j] = (box[2] - box[0] + more) * (box[3] - box[1] + more);
  }
  for (int64_t i = 0; i < rows; ++i) {
    const T x0 = first[i * 4], y0 = first[i * 4 + 1], x1 = first[i * 4 + 2], y1 = first[i * 4 + 3];
    const T own = (x1 - x0 + more) * (y1 - y0 + more);
    const bool nan = own != own;  // a comparison with NaN would choose the other box's side
    T* __restrict row = out + i * columns;
    for (int64_t j = 0; j < columns; ++j) {
      const T left = x0 > l[j] ? x0 : l[j], top = y0 > t[j] ? y0 : t[j];
      const T right = x1 < r[j] ? x1 : r[j], bottom = y1 < b[j] ? y1 : b[j];
      const T wide = right - left + more, high = bottom - top + more;
      const T shared = (wide < 0 ? T(0) : wide) * (high < 0 ? T(0) : high);
      row[j] = shared / (own + sizes[j] - shared + tiny);
    }
    if (nan) std::fill(row, row + columns, std::numeric_limits<T>::quiet_NaN());
  }
}

// How anchors [count, 4] lie to the boxes of objects [objects, 4]. Of the anchors whose left and top side are at least `low`,
// right sides below `right` and bottom sides below `bottom`, `inside` are the numbers and `which` the boxes that they overlap
// most. `positive` lists those that overlap a box by at least `enough` or, but for `same`, as much as any anchor overlaps
// this box, `negative` those that overlap none by `little`; both count the anchors inside. `counts` are the three lengths.
template <typename T>
void label_anchors(const T* anchors, int64_t count, bool every, T low, T right, T bottom, const T* boxes, int64_t objects,
                   T enough, T little, T same, int64_t* inside, int64_t* which, int64_t* positive, int64_t* negative,
                   int64_t* counts) {
  int64_t kept = 0;
  for (int64_t i = 0; i < count; ++i) {
    const T* box = anchors + i * 4;
    inside[kept] = i;
    kept += every | ((box[0] >= low) & (box[1] >= low) & (box[2] < right) & (box[3] < bottom));
  }
  KeptBoxes<T> all(false);
  for (auto* side : {&all.left, &all.top, &all.right, &all.bottom, &all.size}) side->resize(kept);
  for (int64_t k = 0; k < kept; ++k) {
    const T* box = anchors + inside[k] * 4;
    all.left[k] = box[0];
    all.top[k] = box[1];
    all.right[k] = box[2];
    all.bottom[k] = box[3];
    all.size[k] = all.area(box);
  }
  std::vector<T> row(kept), highest(kept, T(0));
  std::vector<int32_t> most_like(kept, 0), nearest(kept, 0);
  for (int64_t j = 0; j < objects; ++j) {
    all.ratios(boxes + j * 4, 0, kept, row.data());
    const T most = greatest(row, T(0));
    const T* found = row.data();
    T* __restrict high = highest.data();
    int32_t *__restrict like = most_like.data(), *__restrict near = nearest.data();
    const int32_t box = static_cast<int32_t>(j);
    for (int64_t k = 0; k < kept; ++k) {
      near[k] |= std::abs(found[k] - most) < same ? 1 : 0;
      like[k] = found[k] > high[k] ? box : like[k];
      high[k] = found[k] > high[k] ? found[k] : high[k];
    }
  }
  int64_t above = 0, below = 0;
  for (int64_t k = 0; k < kept; ++k) {
    which[k] = most_like[k];
    positive[above] = k;
    above += nearest[k] | (highest[k] >= enough);
    negative[below] = k;
    below += highest[k] < little;
  }
  counts[0] = kept;
  counts[1] = above;
  counts[2] = below;
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
  REFLUID_API void similarity_##NAME(const T* first, int64_t rows, const T* second, int64_t columns,                 \
                                     bool normalized, T* out) {                                                      \
    refluid::similarity(first, rows, second, columns, normalized, out);                                              \
  }                                                                                                                  \
  REFLUID_API void label_anchors_##NAME(const T* anchors, int64_t count, bool every, double low, double right,       \
                                        double bottom, const T* boxes, int64_t objects, double enough,               \
                                        double little, double same, int64_t* inside, int64_t* which,                 \
                                        int64_t* positive, int64_t* negative, int64_t* counts) {                     \
    refluid::label_anchors(anchors, count, every, T(low), T(right), T(bottom), boxes, objects, T(enough), T(little), \
                           T(same), inside, which, positive, negative, counts);                                      \
  }                                                                                                                  \
  REFLUID_API void decay_##NAME(const T* boxes, int64_t count, bool normalized, bool gaussian, double sigma,         \
                                T* out) {                                                                            \
    refluid::decay(boxes, count, normalized, gaussian, sigma, out);                                                  \
  }

REFLUID_BOXES(float, float32)
REFLUID_BOXES(double, float64)
