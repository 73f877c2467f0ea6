// A network with its parameters, packed for the kernel, and its steps for every shape of inputs that came.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "steps.h"

namespace refluid::network {

// From any number of threads; see refluid/executor/network/network.py.
class Network {
 public:
  explicit Network(Description description) : description_(std::move(description)), packer_(description_.parameters, Lanes()) {}

  // Steps for inputs of these sizes, which nobody else uses; nullptr where there are none.
  std::unique_ptr<Steps> Take(const std::vector<Sizes>& inputs);
  // Gives them back for the next run.
  void Return(const std::vector<Sizes>& inputs, std::unique_ptr<Steps> steps);

 private:
  static constexpr size_t kMostShapes = 8;  // of which memory is kept: pictures of many sizes must not fill it

  const Description description_;
  Packer packer_;
  std::mutex lock_;
  std::map<std::vector<Sizes>, std::vector<std::unique_ptr<Steps>>> ready_;
};

}  // namespace refluid::network
