#include "steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <variant>

// The structures of the steps. They are in no namespace of ours, and those who include them must not be in one either.
#include "../../../native/kernels/steps.h"

extern "C" int64_t network_lanes();
extern "C" int64_t network_run(const void* const* steps, int64_t count, float* const* inputs, float* const* outputs,
                               int64_t threads, bool wake);

namespace refluid::network {

namespace {

constexpr int64_t kNear = 256 * 1024;       // bytes of an image that one item of work may read again and again
constexpr int64_t kPatched = 640 * 1024;    // bytes of transformed patches of one item of work
constexpr int64_t kFewItems = 4;            // of a loop that transforms its patches again for every part of the filters
constexpr int64_t kItems = 16;              // of a loop, at least: what threads share evenly
constexpr int64_t kManyRows = 4096;         // rows of filters times pairs of blocks, which a thread does not read often
constexpr int64_t kTogether = 4;            // images at a time: more would not stay in the cache
constexpr int64_t kWorthWaking = 500'000;   // multiplications: fewer are done before another thread is awake

using Step = std::variant<Convolution, winograd::Step, Pooling, Elementwise, Softmax, Transfer>;

int64_t Ceil(int64_t value, int64_t unit) { return (value + unit - 1) / unit; }

int64_t Product(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

// How many tiles and pairs of blocks one item of work has: few filters are read by all, many are shared out.
std::pair<int64_t, int64_t> ItemsOf(int64_t pixels, int64_t blocks, int64_t channels, int64_t depth) {
  const int64_t tiles = Ceil(pixels, TILE), pairs = Ceil(blocks, 2);
  int64_t near = std::max<int64_t>(1, std::min(tiles, kNear / (TILE * channels * 4)));
  if (depth * pairs < kManyRows) near = std::min(near, Ceil(tiles, kItems));
  const int64_t parts = Ceil(tiles, near);
  return {near, std::max<int64_t>(1, pairs / std::max<int64_t>(1, Ceil(kItems, parts)))};
}

}  // namespace

struct Steps::Plan {
  Plan(const Description& network, const std::vector<Sizes>& inputs, Packer* packer)
      : network(network), packer(packer), shapes(PlanShapes(network, inputs, Lanes())), images(inputs.at(0).at(0)) {
    for (together = std::min(kTogether, images); images % together != 0;) --together;
    Build();
    for (const Step& step : steps) addresses.push_back(std::visit([](const auto& s) -> const void* { return &s; }, step));
    for (int64_t value : network.outputs) results.push_back(shapes.at(value).SizesOf(images));
    for (const Sizes& sizes : inputs) input_sizes.push_back(Product(sizes) / images * together);
    for (const Sizes& sizes : results) output_sizes.push_back(Product(sizes) / images * together);
  }

  void Build() {
    std::map<int64_t, size_t> last;
    for (size_t i = 0; i < network.layers.size(); ++i) {
      for (int64_t value : network.layers[i].Reads()) last[value] = i;
    }
    for (int64_t value : network.outputs) last[value] = network.layers.size();
    steps.reserve(network.inputs.size() + network.layers.size() + network.outputs.size());
    for (size_t i = 0; i < network.inputs.size(); ++i) {
      const int64_t value = network.inputs[i];
      const Shape& shape = shapes.at(value);
      if (shape.lanes == 1 && shape.margin_y == 0 && shape.margin_x == 0) {
        direct[value] = static_cast<int64_t>(i);
      } else {
        Take(value);
        steps.emplace_back(TransferOf(LOAD, value, i));
      }
    }
    for (size_t i = 0; i < network.layers.size(); ++i) {
      const Layer& layer = network.layers[i];
      Take(layer.output);
      steps.push_back(StepOf(layer));
      std::vector<int64_t> used = layer.Reads();
      used.push_back(layer.output);
      for (int64_t value : std::set<int64_t>(used.begin(), used.end())) {
        const auto found = last.find(value);
        if ((found == last.end() || found->second <= i) && data.count(value) > 0) {
          free[KindOf(value)].push_back(data[value]);
          data.erase(value);
        }
      }
    }
    for (size_t i = 0; i < network.outputs.size(); ++i) steps.emplace_back(TransferOf(STORE, network.outputs[i], i));
  }

  // Values of one kind may share memory: the margins of one are those of the other.
  std::array<int64_t, 6> KindOf(int64_t value) const {
    const Shape& shape = shapes.at(value);
    const auto [image, block, row, column] = shape.Strides();
    return {image, block, row, column, shape.margin_y, shape.margin_x};
  }

  void Take(int64_t value) {
    std::vector<float*>& spare = free[KindOf(value)];
    if (spare.empty()) {
      memory.emplace_back(together * shapes.at(value).Strides()[0]);
      spare.push_back(memory.back().data());
    }
    data[value] = spare.back();
    spare.pop_back();
  }

  // The value from where a window starts that begins in the margin.
  Image ImageOf(int64_t value, const Pair& paddings = {0, 0}, const Pair& strides = {1, 1}) const {
    const Shape& shape = shapes.at(value);
    const auto [image, block, row, column] = shape.Strides();
    float* base = direct.count(value) > 0 ? nullptr : data.at(value);
    const int64_t start = (shape.margin_y - paddings[0]) * row + (shape.margin_x - paddings[1]) * column;
    return {base + start, image, block, row * strides[0], column * strides[1]};
  }

  Image ResidualOf(const Layer& layer) const { return layer.residual == kNone ? Image{} : ImageOf(layer.residual); }

  Transfer TransferOf(Kind kind, int64_t value, size_t index) const {
    const Shape& shape = shapes.at(value);
    return {kind,       ImageOf(value), static_cast<int64_t>(index), together, shape.channels, shape.rows,
            shape.columns, shape.lanes};
  }

  Step StepOf(const Layer& layer) {
    const Shape& out = shapes.at(layer.output);
    const int64_t x = layer.inputs.at(0);
    const Shape& shape = shapes.at(x);
    if (layer.kind == "convolution" && ByPatches(layer, shape, out, network.parameters[layer.weights].sizes)) {
      return PatchesOf(layer, shape, out);
    }
    if (layer.kind == "convolution" || layer.kind == "product") return ConvolutionOf(layer, shape, out);
    if (layer.kind == "pooling") {
      const bool all = layer.everything != 0;
      const Pair window = all ? Pair{shape.rows, shape.columns} : layer.window;
      const Pair strides = all ? Pair{1, 1} : layer.strides, pads = all ? Pair{0, 0} : layer.paddings;
      return Pooling{POOLING,    ImageOf(x), ImageOf(layer.output), together,   out.Blocks(), out.rows,
                     out.columns, shape.rows, shape.columns,        window[0],  window[1],    strides[0],
                     strides[1], pads[0],    pads[1],               layer.average, layer.exclusive, layer.rectify};
    }
    if (layer.kind == "softmax") return Softmax{SOFTMAX, ImageOf(x), ImageOf(layer.output), together, out.channels};
    const bool is_sum = layer.inputs.size() > 1;
    return Elementwise{is_sum ? ADDITION : RECTIFIER, ImageOf(x), ImageOf(is_sum ? layer.inputs[1] : x),
                       ImageOf(layer.output), together, out.Blocks(), out.rows, out.columns, layer.rectify};
  }

  Step ConvolutionOf(const Layer& layer, const Shape& shape, const Shape& out) {
    const bool is_product = layer.kind == "product";  // a convolution whose window is the image
    const Sizes& filters = network.parameters[layer.weights].sizes;
    const int64_t height = is_product ? shape.rows : filters[2], width = is_product ? shape.columns : filters[3];
    const auto [image, block, row, column] = shape.Strides();
    std::vector<int64_t> offsets;
    for (int64_t b = 0; b < shape.Blocks(); ++b) {
      for (int64_t y = 0; y < height; ++y) {
        for (int64_t w = 0; w < width; ++w) {
          offsets.push_back(b * block + y * layer.dilations[0] * row + w * layer.dilations[1] * column);
        }
      }
    }
    const auto taps = static_cast<int64_t>(offsets.size());
    tables.push_back(std::move(offsets));
    const int64_t whole = shape.lanes > 1 ? shape.channels / shape.lanes * height * width : 0;
    const int64_t pixels = together * out.rows * out.columns, depth = shape.channels * height * width;
    work += pixels * out.channels * depth;
    const int64_t reach = std::min(layer.strides[0] * layer.strides[1], height * width);
    const auto [tiles, groups] = ItemsOf(pixels, out.Blocks(), shape.channels * reach, depth);
    const int64_t rest = shape.channels % shape.lanes;
    const auto input = direct.find(layer.inputs[0]);
    return Convolution{CONVOLUTION,
                       ImageOf(layer.inputs[0], layer.paddings, layer.strides),
                       ImageOf(layer.output),
                       ResidualOf(layer),
                       input == direct.end() ? kNone : input->second,
                       tables.back().data(),
                       whole,
                       taps - whole,
                       rest != 0 ? rest : 1,
                       packer->Weights(layer.weights, shape),
                       packer->Bias(layer.bias, out.Blocks()),
                       together,
                       out.rows,
                       out.columns,
                       out.Blocks(),
                       layer.rectify,
                       tiles,
                       groups};
  }

  Step PatchesOf(const Layer& layer, const Shape& shape, const Shape& out) {
    by_patches = true;
    work += together * out.rows * out.columns * out.channels * shape.channels * 4;
    const int64_t patches = together * Ceil(out.rows, 2) * Ceil(out.columns, 2);
    const int64_t near = std::max<int64_t>(2 * TILE, kPatched / (16 * 4 * shape.channels) / TILE * TILE);
    const int64_t parts = Ceil(patches, near), pairs = Ceil(out.Blocks(), 2);
    return winograd::Step{WINOGRAD,
                          ImageOf(layer.inputs[0], layer.paddings),
                          ImageOf(layer.output),
                          ResidualOf(layer),
                          packer->Transformed(layer.weights),
                          packer->Bias(layer.bias, out.Blocks()),
                          together,
                          out.rows,
                          out.columns,
                          shape.Blocks(),
                          out.Blocks(),
                          layer.rectify,
                          Ceil(patches, parts),
                          std::max<int64_t>(1, pairs / std::max<int64_t>(1, Ceil(kFewItems, parts)))};
  }

  const Description& network;
  Packer* packer;
  std::map<int64_t, Shape> shapes;
  int64_t images, together = 1, work = 0;
  bool by_patches = false;  // whether infinities become NaN in their neighbourhood
  std::vector<Memory> memory;
  std::vector<std::vector<int64_t>> tables;
  std::map<int64_t, float*> data;
  std::map<std::array<int64_t, 6>, std::vector<float*>> free;
  std::map<int64_t, int64_t> direct;  // inputs that are read where they are
  std::vector<Step> steps;
  std::vector<const void*> addresses;
  std::vector<Sizes> results;
  std::vector<int64_t> input_sizes, output_sizes;
};

Steps::Steps(const Description& network, const std::vector<Sizes>& inputs, Packer* packer)
    : plan_(std::make_unique<Plan>(network, inputs, packer)) {}

Steps::~Steps() = default;

const std::vector<Sizes>& Steps::results() const { return plan_->results; }

bool Steps::Run(std::vector<float*> inputs, std::vector<float*> outputs, int64_t threads) {
  const Plan& plan = *plan_;
  for (int64_t start = 0; start < plan.images; start += plan.together) {
    network_run(plan.addresses.data(), static_cast<int64_t>(plan.addresses.size()), inputs.data(), outputs.data(),
                threads, plan.work > kWorthWaking);
    for (size_t i = 0; i < inputs.size(); ++i) inputs[i] += plan.input_sizes[i];
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (plan.by_patches && !std::all_of(outputs[i], outputs[i] + plan.output_sizes[i],
                                          [](float value) { return std::isfinite(value); })) {
        return false;
      }
      outputs[i] += plan.output_sizes[i];
    }
  }
  return true;
}

int64_t Lanes() {
  static const int64_t lanes = [] {
    const int64_t compiled = network_lanes();
#if defined(__x86_64__)
    const bool fits = compiled == 16 ? __builtin_cpu_supports("avx512f")
                                     : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (!fits) return int64_t{0};
#endif
    return compiled;
  }();
  return lanes;
}

}  // namespace refluid::network
