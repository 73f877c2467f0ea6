#include "engine.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/version.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "errors.h"
#include "indices.h"
#include "network/network.h"

namespace refluid {

namespace {

constexpr const char* kNetwork = "extra/network.txt";
constexpr const char* kNetworkParameters = "extra/network.bin";

class Compiled : public Engine {
 public:
  // Runners share the weights. A thread that finds all of them busy waits for one.
  explicit Compiled(const std::string& path)
      : loader_(path, "model", false, std::max(2u, std::thread::hardware_concurrency())) {}

  std::vector<at::Tensor> Run(std::vector<at::Tensor> inputs) override {
    std::vector<at::Tensor> outputs = loader_.boxed_run(std::move(inputs));
    if (const std::string wrong = TakeWrongIndex(); !wrong.empty()) Refuse(wrong);
    return outputs;
  }

 private:
  torch::inductor::AOTIModelPackageLoader loader_;
};

class Scripted : public Engine {
 public:
  explicit Scripted(const std::string& path) : module_(torch::jit::load(path, c10::kCPU)) { module_.eval(); }

  std::vector<at::Tensor> Run(std::vector<at::Tensor> inputs) override {
    const c10::IValue result = module_.forward({inputs.begin(), inputs.end()});
    if (result.isTensor()) return {result.toTensor()};
    std::vector<at::Tensor> outputs;
    for (const auto& part : result.toTupleRef().elements()) outputs.push_back(part.toTensor());
    return outputs;
  }

 private:
  torch::jit::Module module_;
};

// The kernel for convolutional networks computes what it can; the model computes the rest, and says what is wrong.
class WithNetwork : public Engine {
 public:
  WithNetwork(network::Description description, std::unique_ptr<Engine> model)
      : network_(std::move(description)), model_(std::move(model)) {}

  std::vector<at::Tensor> Run(std::vector<at::Tensor> inputs) override {
    std::vector<network::Sizes> sizes;
    std::vector<float*> from, to;
    for (at::Tensor& input : inputs) {
      if (input.scalar_type() != at::kFloat || !input.is_contiguous()) return model_->Run(std::move(inputs));
      sizes.push_back(input.sizes().vec());
      from.push_back(input.data_ptr<float>());
    }
    std::unique_ptr<network::Steps> steps = network_.Take(sizes);
    if (steps == nullptr) return model_->Run(std::move(inputs));
    std::vector<at::Tensor> outputs;
    for (const network::Sizes& result : steps->results()) {
      outputs.push_back(at::empty(result, at::kFloat));
      to.push_back(outputs.back().data_ptr<float>());
    }
    const bool is_valid = steps->Run(std::move(from), std::move(to), at::get_num_threads());
    network_.Return(sizes, std::move(steps));
    return is_valid ? outputs : model_->Run(std::move(inputs));
  }

 private:
  network::Network network_;
  std::unique_ptr<Engine> model_;
};

std::unique_ptr<Engine> LoadModel(const Description& package) {
  if (package.kind == "aotinductor") return std::make_unique<Compiled>(package.path);
  if (package.kind == "torchscript") return std::make_unique<Scripted>(package.path);
  Refuse("its kind is '", package.kind, "'; expected aotinductor or torchscript");
}

}  // namespace

std::unique_ptr<Engine> LoadEngine(const Description& package) {
  std::string what = "the package '" + package.path + "' cannot be loaded";
  if (package.torch != TORCH_VERSION) {
    what += std::string(" (torch ") + package.torch + " made it, torch " + TORCH_VERSION + " is here)";
  }
  return Guarded(what, [&]() -> std::unique_ptr<Engine> {
    std::unique_ptr<Engine> model = LoadModel(package);
    caffe2::serialize::PyTorchStreamReader reader(package.path);
    if (!reader.hasRecord(kNetwork) || network::Lanes() == 0) return model;
    const auto [text, length] = reader.getRecord(kNetwork);
    const auto [numbers, bytes] = reader.getRecord(kNetworkParameters);
    auto network = network::Parse({static_cast<const char*>(text.get()), length},
                                  static_cast<const float*>(numbers.get()), bytes / sizeof(float));
    return std::make_unique<WithNetwork>(std::move(network), std::move(model));
  });
}

}  // namespace refluid
