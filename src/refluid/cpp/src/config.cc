// AnalysisConfig, NativeConfig and the lists of passes.
#include <algorithm>
#include <cstdio>

#include "errors.h"
#include "paddle_inference_api.h"

namespace paddle {

namespace {
int Checked(int threads) {
  if (threads < 1) refluid::Refuse("SetCpuMathLibraryNumThreads: expected a number of threads, got ", threads);
  return threads;
}
}  // namespace

void NativeConfig::SetCpuMathLibraryNumThreads(int threads) { threads_ = Checked(threads); }

void AnalysisConfig::SetCpuMathLibraryNumThreads(int threads) { threads_ = Checked(threads); }

void AnalysisConfig::SetModelBuffer(const char* program, size_t program_size, const char*, size_t) {
  if (program == nullptr) refluid::Refuse("SetModelBuffer: expected the bytes of a package, got nullptr");
  if (program_size < 4 || std::string(program, 4) != "PK\x03\x04") {  // how archives begin
    refluid::Refuse("SetModelBuffer: expected the bytes of the package that python -m refluid export MODEL_DIR --to cpp "
                    "writes, got ", program_size, " other bytes");
  }
  buffer_.assign(program, program_size);
  from_memory_ = true;
}

PassStrategy* AnalysisConfig::pass_builder() const {
  if (!passes_) passes_ = std::make_shared<CpuPassStrategy>();
  return passes_.get();
}

void AnalysisConfig::EnableProfile() {
  profile_ = true;
  std::fputs("EnableProfile: a package is compiled and has no operators to time; there will be no table\n", stderr);
}

MkldnnQuantizerConfig* AnalysisConfig::mkldnn_quantizer_config() const {
  refluid::Refuse("mkldnn_quantizer_config: packages are not quantised; leave the call out");
}

void AnalysisConfig::EnableTensorRtEngine(int, int, int, Precision, bool, bool) {
  refluid::Refuse("EnableTensorRtEngine: there is no TensorRT here; leave the call out");
}

void AnalysisConfig::SetTRTDynamicShapeInfo(std::map<std::string, std::vector<int>>,
                                            std::map<std::string, std::vector<int>>,
                                            std::map<std::string, std::vector<int>>, bool) {
  refluid::Refuse("SetTRTDynamicShapeInfo: there is no TensorRT here; leave the call out");
}

void AnalysisConfig::EnableLiteEngine(Precision, const std::vector<std::string>&, const std::vector<std::string>&) {
  refluid::Refuse("EnableLiteEngine: there is no Paddle Lite here; leave the call out");
}

void AnalysisConfig::EnableMkldnnQuantizer() {
  refluid::Refuse("EnableMkldnnQuantizer: packages are not quantised; leave the call out");
}

NativeConfig AnalysisConfig::ToNativeConfig() const {
  NativeConfig config;
  config.model_dir = model_dir_;
  config.prog_file = prog_file_;
  config.param_file = params_file_;
  config.use_gpu = use_gpu_;
  config.device = device_;
  config.specify_input_name = by_name_;
  if (threads_ > 0) config.SetCpuMathLibraryNumThreads(threads_);
  return config;
}

void PaddlePassBuilder::InsertPass(size_t index, const std::string& name) {
  if (index > passes_.size()) refluid::Refuse("InsertPass: expected an index up to ", passes_.size(), ", got ", index);
  passes_.insert(passes_.begin() + index, name);
}

void PaddlePassBuilder::DeletePass(size_t index) {
  if (index >= passes_.size()) refluid::Refuse("DeletePass: there are ", passes_.size(), " passes, got index ", index);
  passes_.erase(passes_.begin() + index);
}

void PaddlePassBuilder::DeletePass(const std::string& name) {
  passes_.erase(std::remove(passes_.begin(), passes_.end(), name), passes_.end());
}

std::string PaddlePassBuilder::DebugString() {
  std::string text;
  for (const auto& name : passes_) text += name + "\n";
  return text;
}

}  // namespace paddle
