// Matching the boxes of an image with prior boxes.
#include "common.h"

#include <algorithm>

namespace refluid {

// The most similar pair of similarities [rows, columns] is matched, then the most similar of what is left, and so on
// while it is at least `least`; of equal pairs the first. `row_of` begins with -1 for every column.
template <typename T>
void match_greedily(const T* similar, int64_t rows, int64_t columns, double least, int64_t* row_of, T* dist) {
  std::vector<int64_t> nearest(rows, -1);  // the free column that is most similar to every row; -1: to be found
  std::vector<char> done(rows, 0);
  for (int64_t round = 0; round < std::min(rows, columns); ++round) {
    int64_t best = -1;
    for (int64_t i = 0; i < rows; ++i) {
      if (done[i]) continue;
      const T* row = similar + i * columns;
      if (nearest[i] < 0 || row_of[nearest[i]] >= 0) {
        nearest[i] = -1;
        for (int64_t j = 0; j < columns; ++j)
          if (row_of[j] < 0 && (nearest[i] < 0 || row[j] > row[nearest[i]])) nearest[i] = j;
      }
      if (best < 0 || row[nearest[i]] > similar[best * columns + nearest[best]]) best = i;
    }
    const T value = similar[best * columns + nearest[best]];
    if (value < T(least)) return;
    row_of[nearest[best]] = best;
    dist[nearest[best]] = value;
    done[best] = 1;
  }
}

}  // namespace refluid

#define REFLUID_MATCHES(T, NAME)                                                                                    \
  REFLUID_API void match_greedily_##NAME(const T* similar, int64_t rows, int64_t columns, double least,             \
                                         int64_t* row_of, T* dist) {                                                \
    refluid::match_greedily(similar, rows, columns, least, row_of, dist);                                           \
  }

REFLUID_MATCHES(float, float32)
REFLUID_MATCHES(double, float64)
