// Matching the boxes of an image with prior boxes, and the targets and the hard examples that follow from it.
#include "common.h"

#include <algorithm>
#include <limits>

namespace refluid {

constexpr int64_t kLanes = 16;  // maxima in lanes of their own, so that the compiler may use vectors

// The greatest value of a row among the columns that are free; -inf if there is none.
template <typename T>
T greatest_free(const T* row, const int32_t* row_of, int64_t columns) {
  const T none = -std::numeric_limits<T>::infinity();
  T lanes[kLanes];
  std::fill(lanes, lanes + kLanes, none);
  const int64_t whole = columns / kLanes * kLanes;
  for (int64_t start = 0; start < whole; start += kLanes)
    for (int64_t k = 0; k < kLanes; ++k) {
      const T value = row_of[start + k] < 0 ? row[start + k] : none;
      lanes[k] = value > lanes[k] ? value : lanes[k];
    }
  for (int64_t j = whole; j < columns; ++j)
    if (row_of[j] < 0 && row[j] > lanes[0]) lanes[0] = row[j];
  return *std::max_element(lanes, lanes + kLanes);
}

// The most similar pair of similarities [rows, columns] is matched, then the most similar of what is left, and so on
// while it is at least `least`; of equal pairs the first. `row_of` begins with -1 for every column.
template <typename T>
void match_greedily(const T* similar, int64_t rows, int64_t columns, T least, int32_t* row_of, T* dist) {
  std::vector<int64_t> nearest(rows, -1);  // the free column that is most similar to every row; -1: to be found
  std::vector<char> done(rows, 0);
  for (int64_t round = 0; round < std::min(rows, columns); ++round) {
    int64_t best = -1;
    for (int64_t i = 0; i < rows; ++i) {
      if (done[i]) continue;
      const T* row = similar + i * columns;
      if (nearest[i] < 0 || row_of[nearest[i]] >= 0) {
        const T most = greatest_free(row, row_of, columns);
        if (!(most >= least)) {
          done[i] = 1;
          continue;
        }
        int64_t j = 0;
        while (row_of[j] >= 0 || row[j] != most) ++j;
        nearest[i] = j;
      }
      if (best < 0 || row[nearest[i]] > similar[best * columns + nearest[best]]) best = i;
    }
    if (best < 0) return;
    row_of[nearest[best]] = static_cast<int32_t>(best);
    dist[nearest[best]] = similar[best * columns + nearest[best]];
    done[best] = 1;
  }
}

// Every free column gets its most similar row, the first of equal ones, if that is at least `threshold` and `least`.
template <typename T>
void match_columns(const T* similar, int64_t rows, int64_t columns, T threshold, T least, int32_t* row_of, T* dist) {
  std::vector<T> highest(similar, similar + columns);
  std::vector<int32_t> which(columns, 0);
  T* __restrict high = highest.data();
  int32_t* __restrict like = which.data();
  for (int64_t i = 1; i < rows; ++i) {
    const T* row = similar + i * columns;
    const int32_t number = static_cast<int32_t>(i);
    for (int64_t j = 0; j < columns; ++j) {
      const bool more = !(row[j] <= high[j]) & (high[j] == high[j]);  // NaN stays, and matches nothing
      like[j] = more ? number : like[j];
      high[j] = more ? row[j] : high[j];
    }
  }
  for (int64_t j = 0; j < columns; ++j) {
    const bool taken = (row_of[j] < 0) & (high[j] >= threshold) & (high[j] >= least);
    row_of[j] = taken ? like[j] : row_of[j];
    dist[j] = taken ? high[j] : dist[j];
  }
}

// The matches of every image, whose rows are given by offsets [images + 1]: row_of and dist [images, columns].
template <typename T>
void match_images(const T* similar, const int64_t* offsets, int64_t images, int64_t columns, bool per_column,
                  T threshold, T least, int32_t* row_of, T* dist) {
  for (int64_t n = 0; n < images; ++n, row_of += columns, dist += columns) {
    const int64_t rows = offsets[n + 1] - offsets[n];
    const T* part = similar + offsets[n] * columns;
    std::fill(row_of, row_of + columns, -1);
    std::fill(dist, dist + columns, T(0));
    if (!rows || !columns) continue;
    match_greedily(part, rows, columns, least, row_of, dist);
    if (per_column) match_columns(part, rows, columns, threshold, least, row_of, dist);
  }
}

// Targets [images, priors, width] of the rows of x [rows, period, width] that the priors are matched with, `other` where
// there is none; offsets are those of the images' rows. Weights are 1 for what is matched and for the negatives, which get
// `other`. U has the size of the elements. Returns false if an index leads out of x or of the priors.
template <typename U>
bool assign_targets(const U* x, int64_t rows, int64_t period, int64_t width, const int64_t* offsets,
                    const int32_t* matches, int64_t images, int64_t priors, const U* other, const int32_t* negatives,
                    const int64_t* negative_offsets, U* out, float* weights) {
  const U fill = *other;
  for (int64_t n = 0; n < images; ++n) {
    for (int64_t p = 0; p < priors; ++p) {
      const int64_t match = matches[n * priors + p], row = offsets[n] + match;
      U* target = out + (n * priors + p) * width;
      weights[n * priors + p] = match >= 0 ? 1.0f : 0.0f;
      if (match < 0) {
        for (int64_t k = 0; k < width; ++k) target[k] = fill;
      } else {
        if (row >= rows) return false;
        const U* from = x + (row * period + (period == 1 ? 0 : p % period)) * width;
        for (int64_t k = 0; k < width; ++k) target[k] = from[k];
      }
    }
    if (!negatives) continue;
    for (int64_t i = negative_offsets[n]; i < negative_offsets[n + 1]; ++i) {
      const int64_t p = negatives[i];
      if (p < 0 || p >= priors) return false;
      std::fill_n(out + (n * priors + p) * width, width, fill);
      weights[n * priors + p] = 1.0f;
    }
  }
  return true;
}

// The hard examples of every image among its priors, ascending, one image after the other; `counts` [images] tells them
// apart. `matches` lose what is no hard example, if `all` priors take part and not only those unmatched.
template <typename T>
int64_t mine(const T* losses, const T* dist, int64_t images, int64_t priors, bool all, double ratio, T threshold,
             int64_t sample, int32_t* matches, int32_t* chosen, int64_t* counts) {
  std::vector<int32_t> candidates;
  std::vector<char> mined(priors);
  int64_t total = 0;
  for (int64_t n = 0; n < images; ++n, losses += priors, dist += priors, matches += priors) {
    candidates.clear();
    int64_t matched = 0;
    for (int64_t p = 0; p < priors; ++p) {
      matched += matches[p] >= 0;
      if (all || (matches[p] < 0 && dist[p] < threshold)) candidates.push_back(static_cast<int32_t>(p));
    }
    const int64_t wanted = all ? sample : static_cast<int64_t>(static_cast<double>(matched) * ratio);
    if (wanted >= 0 && wanted < static_cast<int64_t>(candidates.size())) {
      // The greatest losses, NaN above all, the first of equal ones.
      const auto before = [=](int32_t a, int32_t b) {
        const T x = losses[a], y = losses[b];
        if (x != x || y != y) return x != x && (y == y || a < b);
        return x > y || (x == y && a < b);
      };
      std::nth_element(candidates.begin(), candidates.begin() + wanted, candidates.end(), before);
      candidates.resize(wanted);
      std::sort(candidates.begin(), candidates.end());
    }
    if (all) {
      std::fill(mined.begin(), mined.end(), 0);
      for (int32_t p : candidates) mined[p] = 1;
    }
    const int64_t start = total;
    for (int32_t p : candidates)
      if (matches[p] < 0) chosen[total++] = p;
    if (all)
      for (int64_t p = 0; p < priors; ++p)
        if (!mined[p]) matches[p] = matches[p] >= 0 ? -1 : matches[p];
    counts[n] = total - start;
  }
  return total;
}

}  // namespace refluid

#define REFLUID_MATCHES(T, NAME)                                                                                    \
  REFLUID_API void match_images_##NAME(const T* similar, const int64_t* offsets, int64_t images, int64_t columns,   \
                                       bool per_column, double threshold, double least, int32_t* row_of, T* dist) { \
    refluid::match_images(similar, offsets, images, columns, per_column, T(threshold), T(least), row_of, dist);     \
  }                                                                                                                 \
  REFLUID_API int64_t mine_##NAME(const T* losses, const T* dist, int64_t images, int64_t priors, bool all,         \
                                  double ratio, double threshold, int64_t sample, int32_t* matches,                 \
                                  int32_t* chosen, int64_t* counts) {                                               \
    return refluid::mine(losses, dist, images, priors, all, ratio, T(threshold), sample, matches, chosen, counts);  \
  }

REFLUID_MATCHES(float, float32)
REFLUID_MATCHES(double, float64)

#define REFLUID_TARGETS(U, BYTES)                                                                                    \
  REFLUID_API int64_t assign_targets_##BYTES(                                                                        \
      const U* x, int64_t rows, int64_t period, int64_t width, const int64_t* offsets, const int32_t* matches,       \
      int64_t images, int64_t priors, const U* other, const int32_t* negatives, const int64_t* negative_offsets,     \
      U* out, float* weights) {                                                                                      \
    return refluid::assign_targets(x, rows, period, width, offsets, matches, images, priors, other, negatives,       \
                                   negative_offsets, out, weights);                                                  \
  }

REFLUID_TARGETS(uint32_t, 4)
REFLUID_TARGETS(uint64_t, 8)
