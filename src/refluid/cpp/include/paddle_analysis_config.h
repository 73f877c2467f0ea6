// AnalysisConfig: which model a predictor runs, and how.
#pragma once

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "paddle_api.h"
#include "paddle_mkldnn_quantizer_config.h"
#include "paddle_pass_builder.h"

namespace paddle {

// The model is what `python -m refluid export MODEL_DIR --to cpp` has written into its folder. It is compiled by then, so
// switches for passes, memory and oneDNN are remembered and change nothing. Other engines (TensorRT, Lite, the int8
// quantizer) are refused. A GPU is not used; asking for one prints a line.
struct PADDLE_INFER_API AnalysisConfig {
  enum class Precision { kFloat32 = 0, kInt8, kHalf };

  AnalysisConfig() = default;
  AnalysisConfig(const AnalysisConfig& other) = default;
  AnalysisConfig& operator=(const AnalysisConfig& other) = default;
  explicit AnalysisConfig(const std::string& model_dir) { SetModel(model_dir); }
  AnalysisConfig(const std::string& prog_file, const std::string& params_file) { SetModel(prog_file, params_file); }

  // The model: a folder, a program with its parameters, or the package itself.
  void SetModel(const std::string& model_dir) { model_dir_ = model_dir, prog_file_.clear(), params_file_.clear(); }
  void SetModel(const std::string& prog_file, const std::string& params_file) {
    model_dir_.clear(), prog_file_ = prog_file, params_file_ = params_file;
  }
  void SetProgFile(const std::string& path) { prog_file_ = path; }
  void SetParamsFile(const std::string& path) { params_file_ = path; }
  // The bytes of a package; those of parameters are in it.
  void SetModelBuffer(const char* program, size_t program_size, const char* params, size_t params_size);
  void SetOptimCacheDir(const std::string&) {}
  const std::string& model_dir() const { return model_dir_; }
  const std::string& prog_file() const { return prog_file_; }
  const std::string& params_file() const { return params_file_; }
  bool model_from_memory() const { return from_memory_; }
  const std::string& buffer() const { return buffer_; }

  // Where it runs.
  void EnableUseGpu(uint64_t memory_pool_init_size_mb, int device_id = 0) {
    use_gpu_ = true, pool_mb_ = memory_pool_init_size_mb, device_ = device_id;
  }
  void DisableGpu() { use_gpu_ = false; }
  bool use_gpu() const { return use_gpu_; }
  int gpu_device_id() const { return device_; }
  int memory_pool_init_size_mb() const { return static_cast<int>(pool_mb_); }
  float fraction_of_gpu_memory_for_pool() const { return 0.f; }
  void EnableCUDNN() { cudnn_ = true; }
  bool cudnn_enabled() const { return cudnn_; }
  void SetCpuMathLibraryNumThreads(int threads);
  int cpu_math_library_num_threads() const { return threads_ > 0 ? threads_ : 1; }
  int threads() const { return threads_; }  // 0: as many as the process uses

  // How inputs come.
  void SwitchUseFeedFetchOps(int x = true) { feed_fetch_ = x != 0; }
  bool use_feed_fetch_ops_enabled() const { return feed_fetch_; }
  void SwitchSpecifyInputNames(bool x = true) { by_name_ = x; }
  bool specify_input_name() const { return by_name_; }

  // Remembered only.
  void SwitchIrOptim(int x = true) { ir_optim_ = x != 0; }
  bool ir_optim() const { return ir_optim_; }
  void SwitchIrDebug(int = true) {}
  void EnableMemoryOptim(bool = false, bool = false) { memory_optim_ = true; }  // the arguments of 1.5
  bool enable_memory_optim() const { return memory_optim_; }
  void EnableMKLDNN() { mkldnn_ = true; }
  bool mkldnn_enabled() const { return mkldnn_; }
  void SetMkldnnCacheCapacity(int) {}
  void SetMKLDNNOp(std::unordered_set<std::string>) {}
  void DisableFCPadding() { fc_padding_ = false; }
  bool use_fc_padding() const { return fc_padding_; }
  void DisableGlogInfo() { silent_ = true; }
  bool glog_info_disabled() const { return silent_; }
  void SetInValid() const { valid_ = false; }
  bool is_valid() const { return valid_; }
  PassStrategy* pass_builder() const;
  void PartiallyRelease() {}

  // Remembered, and told in a line.
  void EnableProfile();
  bool profile_enabled() const { return profile_; }

  // Refused: there are no such engines.
  void EnableTensorRtEngine(int workspace_size = 1 << 20, int max_batch_size = 1, int min_subgraph_size = 3,
                            Precision precision = Precision::kFloat32, bool use_static = false,
                            bool use_calib_mode = true);
  bool tensorrt_engine_enabled() const { return false; }
  void SetTRTDynamicShapeInfo(std::map<std::string, std::vector<int>> min_input_shape,
                              std::map<std::string, std::vector<int>> max_input_shape,
                              std::map<std::string, std::vector<int>> optim_input_shape,
                              bool disable_trt_plugin_fp16 = false);
  void EnableLiteEngine(Precision precision = Precision::kFloat32, const std::vector<std::string>& passes_filter = {},
                        const std::vector<std::string>& ops_filter = {});
  bool lite_engine_enabled() const { return false; }
  void EnableMkldnnQuantizer();
  bool mkldnn_quantizer_enabled() const { return false; }
  MkldnnQuantizerConfig* mkldnn_quantizer_config() const;

  NativeConfig ToNativeConfig() const;

 private:
  std::string model_dir_, prog_file_, params_file_, buffer_;
  uint64_t pool_mb_{100};
  int device_{0}, threads_{0};
  bool from_memory_{false}, use_gpu_{false}, cudnn_{false}, feed_fetch_{true}, by_name_{false}, ir_optim_{true};
  bool memory_optim_{false}, mkldnn_{false}, fc_padding_{true}, profile_{false}, silent_{false};
  mutable bool valid_{true};
  mutable std::shared_ptr<PassStrategy> passes_;
};

namespace contrib {
using AnalysisConfig = paddle::AnalysisConfig;
}

}  // namespace paddle
