// What one call of the kernel runs: the steps for inputs of given shapes, and the memory that they use.
#pragma once

#include <memory>
#include <vector>

#include "packing.h"

namespace refluid::network {

// It has memory of its own, so only one thread at a time may run it. See refluid/executor/network/build.py.
class Steps {
 public:
  Steps(const Description& network, const std::vector<Sizes>& inputs, Packer* packer);
  ~Steps();

  const std::vector<Sizes>& results() const;
  // False where sums of patches may have made NaN of infinities: the results are then of no use.
  bool Run(std::vector<float*> inputs, std::vector<float*> outputs, int64_t threads);

 private:
  struct Plan;
  std::unique_ptr<Plan> plan_;
};

// How many channels a vector of the kernel has; 0 where this processor lacks its instructions.
int64_t Lanes();

}  // namespace refluid::network
