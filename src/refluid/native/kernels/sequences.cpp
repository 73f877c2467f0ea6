// Dynamic programs and counts over sequences, which are given by offsets [sequences + 1] of their rows.
#include "common.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace refluid {

// The most probable tags of every sequence: Viterbi's algorithm. `weights` [tags + 2, tags] are those of starting and of
// ending with a tag, then of going from the tag of the row to that of the column.
template <typename T>
void viterbi(const T* scores, const int64_t* offsets, int64_t sequences, int64_t tags, const T* weights, int64_t* path) {
  std::vector<T> here(tags), next(tags);
  std::vector<int32_t> ways;
  for (int64_t s = 0; s < sequences; ++s) {
    const int64_t start = offsets[s], length = offsets[s + 1] - start;
    if (!length) continue;
    const T* row = scores + start * tags;
    for (int64_t j = 0; j < tags; ++j) here[j] = weights[j] + row[j];
    ways.assign(length * tags, 0);
    for (int64_t k = 1; k < length; ++k) {
      row += tags;
      int32_t* way = ways.data() + k * tags;
      for (int64_t j = 0; j < tags; ++j) next[j] = here[0] + weights[2 * tags + j];
      for (int64_t i = 1; i < tags; ++i) {
        const T* from = weights + (2 + i) * tags;
        const T score = here[i];
        for (int64_t j = 0; j < tags; ++j) {
          const T sum = score + from[j];
          const bool better = sum > next[j];
          next[j] = better ? sum : next[j];
          way[j] = better ? int32_t(i) : way[j];
        }
      }
      for (int64_t j = 0; j < tags; ++j) here[j] = next[j] + row[j];
    }
    int64_t best = 0;
    for (int64_t j = 1; j < tags; ++j)
      if (here[j] + weights[tags + j] > here[best] + weights[tags + best]) best = j;
    for (int64_t k = length - 1; k >= 0; --k) {
      path[start + k] = best;
      best = ways[k * tags + best];
    }
  }
}

// The distance of Levenshtein of every pair of sequences.
inline int64_t levenshtein(const int64_t* first, int64_t rows, const int64_t* second, int64_t columns,
                           std::vector<int64_t>& table) {
  table.resize(columns + 1);
  std::iota(table.begin(), table.end(), 0);
  for (int64_t i = 0; i < rows; ++i) {
    int64_t before = table[0];
    table[0] = i + 1;
    for (int64_t j = 0; j < columns; ++j) {
      const int64_t replaced = before + (first[i] != second[j]);
      before = table[j + 1];
      table[j + 1] = std::min({replaced, before + 1, table[j] + 1});
    }
  }
  return table[columns];
}

// Tags of a scheme: how many per chunk type, and which begin, end or are a chunk (-1: none does).
struct Scheme {
  int64_t types, tags, begin, end, single;
};

struct Chunk {
  int64_t start, stop, type;
};

inline void chunks_of(const int64_t* labels, int64_t start, int64_t stop, const Scheme& scheme, const char* excluded,
                      std::vector<Chunk>& found) {
  found.clear();
  int64_t type_before = scheme.types, tag_before = -1;
  for (int64_t i = start; i < stop; ++i) {
    const int64_t type = labels[i] / scheme.tags, tag = labels[i] % scheme.tags;
    if (type != scheme.types) {
      const bool closed = tag_before == scheme.end || tag_before == scheme.single;
      const bool opens = tag == scheme.begin || tag == scheme.single;
      if (type == type_before && !closed && !opens)
        found.back().stop = i;
      else
        found.push_back({i, i, type});
    }
    type_before = type;
    tag_before = tag;
  }
  found.erase(std::remove_if(found.begin(), found.end(), [=](const Chunk& c) { return excluded[c.type]; }), found.end());
}

// One way to go on with a beam: the row it goes on from, the id, and the score of the whole.
struct Way {
  int64_t row, id;
  double score;
  bool below(const Way& other) const { return score != other.score ? score < other.score : row < other.row; }
};

// Keeps the best, in order. Of equal ones, Fluid prefers later rows, and lets the last come in for the worst.
inline void insert(std::vector<Way>& best, const Way& way, int64_t size) {
  if (static_cast<int64_t>(best.size()) == size) {
    if (way.below(best.back())) return;
    best.pop_back();
  }
  auto at = best.end();
  while (at != best.begin() && (at - 1)->below(way)) --at;
  best.insert(at, way);
}

template <typename T>
int64_t beam_search(const int64_t* before, const T* sums, const int64_t* ids, const T* scores, int64_t width,
                    const int64_t* offsets, int64_t sentences, int64_t size, int64_t end_id, bool accumulated,
                    int64_t* chosen_ids, T* chosen_scores, int32_t* parents, int64_t* counts) {
  int64_t found = 0;
  std::vector<Way> best;
  for (int64_t s = 0; s < sentences; ++s) {
    best.clear();
    for (int64_t row = offsets[s]; row < offsets[s + 1]; ++row) {
      counts[row] = 0;
      if (before[row] == end_id) {
        insert(best, {row, end_id, double(sums[row])}, size);
        continue;
      }
      for (int64_t k = 0; k < width; ++k) {
        const double value = scores[row * width + k];
        const double more = value > 0 ? std::log(value) : -std::numeric_limits<double>::infinity();
        insert(best, {row, ids ? ids[row * width + k] : k, accumulated ? value : double(sums[row]) + more}, size);
      }
    }
    if (std::all_of(best.begin(), best.end(), [=](const Way& w) { return w.id == end_id && before[w.row] == end_id; }))
      continue;
    std::stable_sort(best.begin(), best.end(), [](const Way& a, const Way& b) { return a.row < b.row; });
    for (const Way& way : best) {
      chosen_ids[found] = way.id;
      chosen_scores[found] = T(way.score);
      parents[found++] = int32_t(way.row);
      ++counts[way.row];
    }
  }
  return found;
}

}  // namespace refluid

// Sequence i of `first` begins at first_starts[i] and has first_lengths[i] elements; likewise `second`.
REFLUID_API void levenshtein(const int64_t* first, const int64_t* first_starts, const int64_t* first_lengths,
                             const int64_t* second, const int64_t* second_starts, const int64_t* second_lengths,
                             int64_t pairs, int64_t* distances) {
  std::vector<int64_t> table;
  for (int64_t i = 0; i < pairs; ++i)
    distances[i] = refluid::levenshtein(first + first_starts[i], first_lengths[i], second + second_starts[i],
                                        second_lengths[i], table);
}

// counts: inferred, labelled, and those that are the same in both.
REFLUID_API void count_chunks(const int64_t* inferred, const int64_t* labelled, const int64_t* offsets,
                              int64_t sequences, int64_t types, int64_t tags, int64_t begin, int64_t end,
                              int64_t single, const char* excluded, int64_t* counts) {
  const refluid::Scheme scheme{types, tags, begin, end, single};
  std::vector<refluid::Chunk> found, given;
  counts[0] = counts[1] = counts[2] = 0;
  for (int64_t s = 0; s < sequences; ++s) {
    refluid::chunks_of(inferred, offsets[s], offsets[s + 1], scheme, excluded, found);
    refluid::chunks_of(labelled, offsets[s], offsets[s + 1], scheme, excluded, given);
    counts[0] += found.size();
    counts[1] += given.size();
    for (size_t i = 0, j = 0; i < found.size() && j < given.size();) {
      const refluid::Chunk &a = found[i], &b = given[j];
      counts[2] += a.start == b.start && a.stop == b.stop && a.type == b.type;
      if (a.start <= b.start) ++i;
      if (b.start <= a.start) ++j;
    }
  }
}

#define REFLUID_SEQUENCES(T, NAME)                                                                                    \
  REFLUID_API void viterbi_##NAME(const T* scores, const int64_t* offsets, int64_t sequences, int64_t tags,           \
                                  const T* weights, int64_t* path) {                                                  \
    refluid::viterbi(scores, offsets, sequences, tags, weights, path);                                                \
  }                                                                                                                   \
  REFLUID_API int64_t beam_search_##NAME(const int64_t* before, const T* sums, const int64_t* ids, const T* scores,   \
                                         int64_t width, const int64_t* offsets, int64_t sentences, int64_t size,      \
                                         int64_t end_id, bool accumulated, int64_t* chosen_ids, T* chosen_scores,     \
                                         int32_t* parents, int64_t* counts) {                                         \
    return refluid::beam_search(before, sums, ids, scores, width, offsets, sentences, size, end_id, accumulated,      \
                                chosen_ids, chosen_scores, parents, counts);                                          \
  }

REFLUID_SEQUENCES(float, float32)
REFLUID_SEQUENCES(double, float64)
