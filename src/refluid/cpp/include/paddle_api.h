// The classes that a C++ program predicts with, under the names of Fluid 1.8. No header of PyTorch is needed to use them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#define PADDLE_INFER_API __attribute__((visibility("default")))
#define PD_INFER_DECL PADDLE_INFER_API

namespace paddle {

namespace platform {

// What everything here throws: its text says what was expected and what came.
class PADDLE_INFER_API EnforceNotMet : public std::runtime_error {
 public:
  explicit EnforceNotMet(const std::string& text);
  ~EnforceNotMet() override;
};

}  // namespace platform

enum PaddleDType { FLOAT32, INT64, INT32, UINT8 };

enum class PaddlePlace { kUNK = -1, kCPU, kGPU };

// Bytes of a tensor: either its own, or those of the caller, which must live as long as the buffer is used.
class PADDLE_INFER_API PaddleBuf {
 public:
  PaddleBuf() = default;
  explicit PaddleBuf(size_t length);
  PaddleBuf(void* data, size_t length);
  explicit PaddleBuf(const PaddleBuf& other);
  PaddleBuf(PaddleBuf&& other) noexcept;
  PaddleBuf& operator=(const PaddleBuf& other);
  PaddleBuf& operator=(PaddleBuf&& other) noexcept;
  ~PaddleBuf();

  void Resize(size_t length);            // memory of the caller cannot grow
  void Reset(void* data, size_t length);  // use memory of the caller from now on
  bool empty() const { return length_ == 0; }
  void* data() const { return data_; }
  size_t length() const { return length_; }  // in bytes

 private:
  void Free();

  void* data_{nullptr};
  size_t length_{0};
  size_t capacity_{0};
  bool owned_{true};
};

// An input or output of Run. `lod` holds offsets, the outermost level first.
struct PaddleTensor {
  std::string name;
  std::vector<int> shape;
  PaddleBuf data;
#if __cplusplus >= 201402L
  PaddleDType dtype{FLOAT32};
#else
  PaddleDType dtype;  // an initializer would take PaddleTensor{...} from programs in C++11
#endif
  std::vector<std::vector<size_t>> lod;
};

// An input or output that a predictor keeps between calls of ZeroCopyRun. T is float, int64_t, int32_t or uint8_t.
class PADDLE_INFER_API ZeroCopyTensor {
 public:
  struct Slot;  // shared with the predictor
  explicit ZeroCopyTensor(std::shared_ptr<Slot> slot);
  ~ZeroCopyTensor();

  void Reshape(const std::vector<int>& shape);
  template <typename T>
  T* mutable_data(PaddlePlace place);
  template <typename T>
  T* data(PaddlePlace* place, int* size) const;
  template <typename T>
  void copy_from_cpu(const T* data);
  template <typename T>
  void copy_to_cpu(T* data);

  std::vector<int> shape() const;
  void SetLoD(const std::vector<std::vector<size_t>>& lod);
  std::vector<std::vector<size_t>> lod() const;
  const std::string& name() const;
  PaddleDType type() const;
  void SetPlace(PaddlePlace place, int device = -1);

 private:
  std::shared_ptr<Slot> slot_;
};

// Runs a model. One predictor belongs to one thread at a time; Clone gives another that shares the parameters.
class PADDLE_INFER_API PaddlePredictor {
 public:
  struct Config {
    std::string model_dir;
  };

  PaddlePredictor() = default;
  PaddlePredictor(const PaddlePredictor&) = delete;
  PaddlePredictor& operator=(const PaddlePredictor&) = delete;
  virtual ~PaddlePredictor() = default;

  // The batch size is told by the inputs; the argument is there for programs that give it.
  virtual bool Run(const std::vector<PaddleTensor>& inputs, std::vector<PaddleTensor>* outputs,
                   int batch_size = -1) = 0;
  virtual bool ZeroCopyRun() = 0;
  virtual std::vector<std::string> GetInputNames() = 0;
  virtual std::vector<std::string> GetOutputNames() = 0;
  virtual std::map<std::string, std::vector<int64_t>> GetInputTensorShape() = 0;  // -1: any size
  virtual std::unique_ptr<ZeroCopyTensor> GetInputTensor(const std::string& name) = 0;
  virtual std::unique_ptr<ZeroCopyTensor> GetOutputTensor(const std::string& name) = 0;
  virtual std::unique_ptr<PaddlePredictor> Clone() = 0;
  virtual std::string GetSerializedProgram() const = 0;
};

// The older configuration.
struct PADDLE_INFER_API NativeConfig : public PaddlePredictor::Config {
  bool use_gpu{false};
  int device{0};
  float fraction_of_gpu_memory{-1.f};
  std::string prog_file;
  std::string param_file;
  bool specify_input_name{false};

  void SetCpuMathLibraryNumThreads(int threads);
  int cpu_math_library_num_threads() const { return threads_ > 0 ? threads_ : 1; }
  int threads() const { return threads_; }  // 0: as many as the process uses

 private:
  int threads_{0};
};

enum class PaddleEngineKind { kNative = 0, kAutoMixedTensorRT, kAnalysis };

// Defined for NativeConfig and AnalysisConfig.
template <typename ConfigT>
PADDLE_INFER_API std::unique_ptr<PaddlePredictor> CreatePaddlePredictor(const ConfigT& config);
template <typename ConfigT, PaddleEngineKind engine>
PADDLE_INFER_API std::unique_ptr<PaddlePredictor> CreatePaddlePredictor(const ConfigT& config);

PADDLE_INFER_API int PaddleDtypeSize(PaddleDType dtype);
PADDLE_INFER_API std::string get_version();

}  // namespace paddle
