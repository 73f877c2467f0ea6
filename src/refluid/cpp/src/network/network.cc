#include "network.h"

#include <utility>

namespace refluid::network {

std::unique_ptr<Steps> Network::Take(const std::vector<Sizes>& inputs) {
  const std::lock_guard<std::mutex> guard(lock_);
  const auto found = ready_.find(inputs);
  if (found != ready_.end() && !found->second.empty()) {
    std::unique_ptr<Steps> steps = std::move(found->second.back());
    found->second.pop_back();
    return steps;
  }
  try {
    return std::make_unique<Steps>(description_, inputs, &packer_);
  } catch (const CannotPlan&) {
    return nullptr;
  }
}

void Network::Return(const std::vector<Sizes>& inputs, std::unique_ptr<Steps> steps) {
  const std::lock_guard<std::mutex> guard(lock_);
  if (ready_.size() >= kMostShapes && ready_.count(inputs) == 0) ready_.clear();
  ready_[inputs].push_back(std::move(steps));
}

}  // namespace refluid::network
