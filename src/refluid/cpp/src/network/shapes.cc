#include "shapes.h"

#include <algorithm>

namespace refluid::network {

namespace {

constexpr int64_t kLine = 16;   // elements of a cache line
constexpr int64_t kMany = 32;   // channels from which Winograd's patches are worth their transforms
constexpr int64_t kArea = 100;  // cells of a result from which they are worth reading filters that have become larger

void CheckSame(const Shape& one, const Shape& other) {
  if (one.channels != other.channels || one.rows != other.rows || one.columns != other.columns ||
      one.rank != other.rank) {
    throw CannotPlan();
  }
}

// How many windows fit into the rows and the columns.
Pair Windows(const Shape& x, const Pair& window, const Layer& layer) {
  const Pair sizes{x.rows, x.columns};
  Pair counts{};
  for (int axis = 0; axis < 2; ++axis) {
    const int64_t room = sizes[axis] + 2 * layer.paddings[axis] - window[axis];
    if (room < 0 || layer.strides[axis] < 1) throw CannotPlan();
    counts[axis] = room / layer.strides[axis] + 1;
  }
  return counts;
}

void CheckBias(const Description& network, const Layer& layer, int64_t channels) {
  if (layer.bias != kNone && network.parameters.at(layer.bias).sizes != Sizes{channels}) throw CannotPlan();
}

Shape Output(const Description& network, const Layer& layer, const std::map<int64_t, Shape>& shapes, int64_t lanes) {
  const Shape& x = shapes.at(layer.inputs.at(0));
  if (layer.kind == "convolution") {
    const Sizes& filters = network.parameters.at(layer.weights).sizes;
    if (x.rank != 4 || filters.size() != 4 || filters[1] != x.channels) throw CannotPlan();
    CheckBias(network, layer, filters[0]);
    const Pair window{layer.dilations[0] * (filters[2] - 1) + 1, layer.dilations[1] * (filters[3] - 1) + 1};
    const Pair counts = Windows(x, window, layer);
    return {filters[0], counts[0], counts[1], 4, lanes};
  }
  if (layer.kind == "product") {
    const Sizes& matrix = network.parameters.at(layer.weights).sizes;
    if (matrix.size() != 2 || matrix[0] != x.channels * x.rows * x.columns) throw CannotPlan();
    CheckBias(network, layer, matrix[1]);
    return {matrix[1], 1, 1, 2, lanes};
  }
  if (layer.kind == "pooling") {
    if (x.rank != 4) throw CannotPlan();
    if (layer.everything) return {x.channels, 1, 1, 4, lanes};
    for (int axis = 0; axis < 2; ++axis) {
      if (2 * layer.paddings[axis] > layer.window[axis]) throw CannotPlan();
    }
    const Pair counts = Windows(x, layer.window, layer);
    return {x.channels, counts[0], counts[1], 4, lanes};
  }
  if (layer.kind == "addition") CheckSame(x, shapes.at(layer.inputs.at(1)));
  return {x.channels, x.rows, x.columns, x.rank, lanes};
}

// Whether products alone read an input: they take its channels one by one.
bool IsReadByProducts(const Description& network, int64_t value) {
  return std::all_of(network.layers.begin(), network.layers.end(), [&](const Layer& layer) {
    const std::vector<int64_t> reads = layer.Reads();
    if (std::find(reads.begin(), reads.end(), value) == reads.end()) return true;
    return (layer.kind == "convolution" || layer.kind == "product") && layer.residual != value;
  });
}

}  // namespace

std::array<int64_t, 4> Shape::Strides() const {
  const int64_t row = (columns + 2 * margin_x) * lanes;
  int64_t block = (rows + 2 * margin_y) * row;
  // An odd number of cache lines: the blocks of a pixel then lie in different sets of the cache.
  if (lanes > 1) block = ((block + kLine - 1) / kLine | 1) * kLine;
  return {Blocks() * block, block, row, lanes};
}

Sizes Shape::SizesOf(int64_t images) const {
  return rank == 4 ? Sizes{images, channels, rows, columns} : Sizes{images, channels};
}

bool ByPatches(const Layer& layer, const Shape& x, const Shape& out, const Sizes& filters) {
  const bool is_plain = filters[2] == 3 && filters[3] == 3 && layer.strides == Pair{1, 1} && layer.dilations == Pair{1, 1};
  return is_plain && x.lanes > 1 && std::min(x.channels, out.channels) >= kMany && out.rows * out.columns >= kArea;
}

std::map<int64_t, Shape> PlanShapes(const Description& network, const std::vector<Sizes>& inputs, int64_t lanes) {
  std::map<int64_t, Shape> shapes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Sizes& sizes = inputs[i];
    const bool is_empty = std::count(sizes.begin(), sizes.end(), 0) > 0;
    if ((sizes.size() != 2 && sizes.size() != 4) || is_empty || sizes[0] != inputs[0][0]) throw CannotPlan();
    const bool is_thin = sizes[1] < lanes && IsReadByProducts(network, network.inputs[i]);
    const int64_t rows = sizes.size() == 4 ? sizes[2] : 1, columns = sizes.size() == 4 ? sizes[3] : 1;
    shapes[network.inputs[i]] = {sizes[1], rows, columns, static_cast<int64_t>(sizes.size()), is_thin ? 1 : lanes};
  }
  for (const Layer& layer : network.layers) {
    shapes[layer.output] = Output(network, layer, shapes, lanes);
    if (layer.residual != kNone) CheckSame(shapes.at(layer.residual), shapes[layer.output]);
  }
  for (const Layer& layer : network.layers) {
    if (layer.kind != "convolution") continue;
    Shape& shape = shapes[layer.inputs[0]];
    const Shape& out = shapes[layer.output];
    auto [pad_y, pad_x] = layer.paddings;
    if (ByPatches(layer, shape, out, network.parameters[layer.weights].sizes)) {  // patches go over the edge
      pad_y += out.rows % 2, pad_x += out.columns % 2;
    }
    shape.margin_y = std::max(shape.margin_y, pad_y);
    shape.margin_x = std::max(shape.margin_x, pad_x);
  }
  return shapes;
}

}  // namespace refluid::network
