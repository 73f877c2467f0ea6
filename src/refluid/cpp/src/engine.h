// What runs a package. One engine serves a predictor and all its clones, from any number of threads.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "package.h"

namespace refluid {

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::vector<at::Tensor> Run(std::vector<at::Tensor> inputs) = 0;
};

std::unique_ptr<Engine> LoadEngine(const Description& package);

}  // namespace refluid
