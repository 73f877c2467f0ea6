// Overlaps of polygons, which need not be convex; areas by the even-odd rule.
#pragma once

#include "common.h"

#include <algorithm>

namespace refluid {

struct Point {
  double x, y;
};

struct Polygon;
double shared_area(const Polygon& first, const Polygon& second);

struct Polygon {
  std::vector<Point> corners;
  Point low, high;
  mutable double known_area = -1;  // computed when first asked for

  template <typename T>
  Polygon(const T* numbers, int64_t count) {
    for (int64_t i = 0; i + 1 < count; i += 2) corners.push_back({double(numbers[i]), double(numbers[i + 1])});
    low = high = corners[0];
    for (const Point& p : corners) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y)};
    }
  }

  double area() const {
    if (known_area < 0) known_area = shared_area(*this, *this);
    return known_area;
  }

  const Point& after(size_t i) const { return corners[i + 1 == corners.size() ? 0 : i + 1]; }
};

// The x at which the line of this height enters or leaves the polygon, ascending.
inline void sides_at(const Polygon& polygon, double y, std::vector<double>& sides) {
  sides.clear();
  for (size_t i = 0; i < polygon.corners.size(); ++i) {
    const Point &a = polygon.corners[i], &b = polygon.after(i);
    if ((a.y <= y) != (b.y <= y)) sides.push_back(a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x));
  }
  std::sort(sides.begin(), sides.end());
}

// Horizontal cuts through all corners and crossings leave strips in which no two sides cross: there the shared width
// changes evenly, and its value at half the height is its mean.
inline double shared_area(const Polygon& first, const Polygon& second) {
  thread_local std::vector<std::pair<Point, Point>> edges;  // start, way
  thread_local std::vector<double> cuts, of_first, of_second;
  edges.clear();
  cuts.clear();
  for (const Polygon* polygon : {&first, &second})
    for (size_t i = 0; i < polygon->corners.size(); ++i) {
      const Point &a = polygon->corners[i], &b = polygon->after(i);
      edges.push_back({a, {b.x - a.x, b.y - a.y}});
    }
  for (const auto& edge : edges) cuts.push_back(edge.first.y);
  for (size_t i = 0; i < edges.size(); ++i)
    for (size_t j = i + 1; j < edges.size(); ++j) {
      const auto& [start, way] = edges[i];
      const auto& [other_start, other_way] = edges[j];
      const double across = way.x * other_way.y - way.y * other_way.x;
      if (across == 0) continue;
      const double x = other_start.x - start.x, y = other_start.y - start.y;
      const double t = (x * other_way.y - y * other_way.x) / across, s = (x * way.y - y * way.x) / across;
      if (t >= 0 && t <= 1 && s >= 0 && s <= 1) cuts.push_back(start.y + t * way.y);
    }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  double total = 0;
  for (size_t i = 0; i + 1 < cuts.size(); ++i) {
    const double middle = (cuts[i + 1] + cuts[i]) / 2, height = cuts[i + 1] - cuts[i];
    sides_at(first, middle, of_first);
    sides_at(second, middle, of_second);
    double width = 0;
    for (size_t a = 0; a + 1 < of_first.size(); a += 2)
      for (size_t b = 0; b + 1 < of_second.size(); b += 2)
        width += std::max(0.0, std::min(of_first[a + 1], of_second[b + 1]) - std::max(of_first[a], of_second[b]));
    total += height * width;
  }
  return total;
}

inline double polygon_overlap(const Polygon& one, const Polygon& other) {
  if (!(one.low.x < other.high.x && one.low.y < other.high.y && other.low.x < one.high.x && other.low.y < one.high.y))
    return 0;
  const double shared = shared_area(one, other);
  return shared ? shared / (one.area() + other.area() - shared) : 0;
}

}  // namespace refluid
