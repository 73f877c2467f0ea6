// Lists of passes by name. A package is compiled already: editing them has no effect, and programs that do so still build.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

#include "paddle_api.h"

namespace paddle {

class PADDLE_INFER_API PaddlePassBuilder {
 public:
  explicit PaddlePassBuilder(const std::vector<std::string>& passes) : passes_(passes) {}
  virtual ~PaddlePassBuilder() = default;

  void SetPasses(std::initializer_list<std::string> passes) { passes_ = passes; }
  void AppendPass(const std::string& name) { passes_.push_back(name); }
  void InsertPass(size_t index, const std::string& name);
  void DeletePass(size_t index);
  void DeletePass(const std::string& name);
  void ClearPasses() { passes_.clear(); }
  void AppendAnalysisPass(const std::string& name) { analysis_.push_back(name); }
  void TurnOnDebug() {}
  std::string DebugString();
  const std::vector<std::string>& AllPasses() const { return passes_; }
  std::vector<std::string> AnalysisPasses() const { return analysis_; }

 protected:
  std::vector<std::string> passes_, analysis_;
};

class PADDLE_INFER_API PassStrategy : public PaddlePassBuilder {
 public:
  explicit PassStrategy(const std::vector<std::string>& passes = {}) : PaddlePassBuilder(passes) {}
  virtual void EnableCUDNN() {}
  virtual void EnableMKLDNN() {}
  virtual void EnableMkldnnQuantizer() {}
  bool use_gpu() const { return false; }
};

class PADDLE_INFER_API CpuPassStrategy : public PassStrategy {
 public:
  CpuPassStrategy() = default;
};

}  // namespace paddle
