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

// Twice the area of the triangle of three points; its sign tells which way they turn.
inline double turn(const Point& a, const Point& b, const Point& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

struct Polygon {
  std::vector<Point> corners;
  Point low, high;
  double side = 0;                 // of a convex quadrilateral: 1 or -1, the way its corners turn; 0: of all others
  mutable double known_area = -1;  // computed when first asked for

  template <typename T>
  Polygon(const T* numbers, int64_t count) {
    for (int64_t i = 0; i + 1 < count; i += 2) corners.push_back({double(numbers[i]), double(numbers[i + 1])});
    low = high = corners[0];
    for (const Point& p : corners) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y)};
    }
    if (corners.size() == 4) {
      const Point *p = corners.data();
      const double turns[4] = {turn(p[0], p[1], p[2]), turn(p[1], p[2], p[3]), turn(p[2], p[3], p[0]), turn(p[3], p[0], p[1])};
      if (std::all_of(turns, turns + 4, [](double one) { return one > 0; })) side = 1;
      if (std::all_of(turns, turns + 4, [](double one) { return one < 0; })) side = -1;
      if (side != 0) known_area = side * (turns[0] + turns[2]) / 2;
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

// The area that two convex quadrilaterals share: what is left of the first when each side of the second has cut it.
inline double convex_shared_area(const Polygon& first, const Polygon& second) {
  Point corners[8], cut[8];  // each of four cuts adds one corner at most
  int count = 4;
  std::copy(first.corners.begin(), first.corners.end(), corners);
  for (size_t i = 0; i < 4 && count > 0; ++i) {
    const Point &from = second.corners[i], &to = second.after(i);
    int left = 0;
    double before = second.side * turn(from, to, corners[count - 1]);
    for (int k = 0; k < count; ++k) {
      const Point &a = corners[k == 0 ? count - 1 : k - 1], &b = corners[k];
      const double here = second.side * turn(from, to, b);
      if ((before >= 0) != (here >= 0)) {
        const double t = before / (before - here);
        cut[left++] = {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
      }
      if (here >= 0) cut[left++] = b;
      before = here;
    }
    std::copy(cut, cut + left, corners);
    count = left;
  }
  double twice = 0;
  for (int k = 2; k < count; ++k) twice += turn(corners[0], corners[k - 1], corners[k]);
  return first.side * twice / 2;
}

inline double polygon_overlap(const Polygon& one, const Polygon& other) {
  if (!(one.low.x < other.high.x && one.low.y < other.high.y && other.low.x < one.high.x && other.low.y < one.high.y))
    return 0;
  const bool convex = one.side != 0 && other.side != 0;
  const double shared = convex ? convex_shared_area(one, other) : shared_area(one, other);
  return shared ? shared / (one.area() + other.area() - shared) : 0;
}

}  // namespace refluid
