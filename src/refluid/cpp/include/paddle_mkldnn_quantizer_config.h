// The settings of Fluid's int8 quantizer, for programs that name it. Packages are not quantized: EnableMkldnnQuantizer is
// refused, so that no predictor reads these.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "paddle_api.h"

namespace paddle {

enum class ScaleAlgo { NONE, MAX, MAX_CH, MAX_CH_T, KL };

struct PADDLE_INFER_API MkldnnQuantizerConfig {
  using Batch = std::shared_ptr<std::vector<PaddleTensor>>;

  void SetScaleAlgo(const std::string& op, const std::string& slot, ScaleAlgo algo) { rules_[op][slot] = algo; }
  ScaleAlgo scale_algo(const std::string& op, const std::string& slot) const {
    const auto slots = rules_.find(op);
    if (slots == rules_.end()) return default_scale_algo();
    const auto rule = slots->second.find(slot);
    return rule == slots->second.end() ? default_scale_algo() : rule->second;
  }
  void SetDefaultScaleAlgo(ScaleAlgo algo) { default_ = algo; }
  ScaleAlgo default_scale_algo() const { return default_; }

  void SetWarmupData(Batch data) { warmup_ = data; }
  Batch warmup_data() const { return warmup_; }
  void SetWarmupBatchSize(int size) { warmup_size_ = size; }
  int warmup_batch_size() const { return warmup_size_; }

  void SetEnabledOpTypes(std::unordered_set<std::string> types) { types_ = types; }
  const std::unordered_set<std::string>& enabled_op_types() const { return types_; }
  void SetExcludedOpIds(std::unordered_set<int> ids) { excluded_ = ids; }
  const std::unordered_set<int>& excluded_op_ids() const { return excluded_; }

 private:
  std::map<std::string, std::map<std::string, ScaleAlgo>> rules_;
  std::unordered_set<std::string> types_;
  std::unordered_set<int> excluded_;
  Batch warmup_;
  int warmup_size_{1};
  ScaleAlgo default_{ScaleAlgo::MAX};
};

}  // namespace paddle
