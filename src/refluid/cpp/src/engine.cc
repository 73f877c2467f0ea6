#include "engine.h"

#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/version.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "errors.h"
#include "indices.h"

namespace refluid {

namespace {

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

}  // namespace

std::unique_ptr<Engine> LoadEngine(const Description& package) {
  std::string what = "the package '" + package.path + "' cannot be loaded";
  if (package.torch != TORCH_VERSION) {
    what += std::string(" (torch ") + package.torch + " made it, torch " + TORCH_VERSION + " is here)";
  }
  return Guarded(what, [&]() -> std::unique_ptr<Engine> {
    if (package.kind == "aotinductor") return std::make_unique<Compiled>(package.path);
    if (package.kind == "torchscript") return std::make_unique<Scripted>(package.path);
    Refuse(what, ": its kind is '", package.kind, "'; expected aotinductor or torchscript");
  });
}

}  // namespace refluid
