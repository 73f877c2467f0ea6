#include "layers.h"

#include <functional>
#include <numeric>
#include <sstream>
#include <stdexcept>

namespace refluid::network {

namespace {

std::vector<int64_t> ReadList(std::istream& text) {
  int64_t count = 0;
  text >> count;
  if (!text || count < 0 || count > 1000) throw std::runtime_error("the description of its network is damaged");
  std::vector<int64_t> list(count);
  for (int64_t& one : list) text >> one;
  return list;
}

Pair ReadPair(std::istream& text) {
  Pair pair{};
  text >> pair[0] >> pair[1];
  return pair;
}

}  // namespace

std::vector<int64_t> Layer::Reads() const {
  std::vector<int64_t> values = inputs;
  if (residual != kNone) values.push_back(residual);
  return values;
}

Description Parse(const std::string& text, const float* numbers, int64_t count) {
  Description network;
  std::istringstream stream(text);
  int64_t used = 0;
  for (std::string word; stream >> word;) {
    if (word == "inputs") {
      network.inputs = ReadList(stream);
    } else if (word == "outputs") {
      network.outputs = ReadList(stream);
    } else if (word == "parameter") {
      const Sizes sizes = ReadList(stream);
      const int64_t size = std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
      if (size < 0 || size > count - used) throw std::runtime_error("the parameters of its network are damaged");
      network.parameters.push_back({sizes, {numbers + used, numbers + used + size}});
      used += size;
    } else if (word == "layer") {
      Layer layer;
      stream >> layer.kind;
      layer.inputs = ReadList(stream);
      stream >> layer.output >> layer.weights >> layer.bias >> layer.residual >> layer.rectify;
      layer.strides = ReadPair(stream), layer.paddings = ReadPair(stream);
      layer.dilations = ReadPair(stream), layer.window = ReadPair(stream);
      stream >> layer.average >> layer.exclusive >> layer.everything;
      network.layers.push_back(layer);
    } else {
      stream.setstate(std::ios::failbit);
    }
    if (!stream) throw std::runtime_error("the description of its network is damaged");
  }
  return network;
}

}  // namespace refluid::network
