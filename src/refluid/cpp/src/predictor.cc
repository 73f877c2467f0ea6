// The predictor: checks what comes in, runs the engine, gives back what comes out.
#include <ATen/Parallel.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "engine.h"
#include "errors.h"
#include "slot.h"

namespace refluid {

namespace {

using paddle::PaddleTensor;
using paddle::ZeroCopyTensor;
using Slots = std::vector<std::shared_ptr<ZeroCopyTensor::Slot>>;

// The number of threads for a while; every thread of a program has its own.
class Threads {
 public:
  explicit Threads(int wanted) : before_(wanted > 0 ? at::get_num_threads() : 0) {
    changed_ = wanted > 0 && wanted != before_;
    if (changed_) at::set_num_threads(wanted);
  }
  ~Threads() {
    if (changed_) at::set_num_threads(before_);
  }

 private:
  int before_;
  bool changed_;
};

Slots MakeSlots(const std::vector<Value>& values, bool are_inputs) {
  Slots slots;
  for (const Value& value : values) {
    slots.push_back(std::make_shared<ZeroCopyTensor::Slot>(ZeroCopyTensor::Slot{value, are_inputs, {}, {}, {}}));
  }
  return slots;
}

std::string NamesOf(const std::vector<Value>& values) {
  std::string text;
  for (const Value& value : values) text += (text.empty() ? "'" : ", '") + value.name + "'";
  return text;
}

class Predictor : public paddle::PaddlePredictor {
 public:
  Predictor(std::shared_ptr<const Description> package, std::shared_ptr<Engine> engine, int threads, bool by_name)
      : package_(std::move(package)), engine_(std::move(engine)), threads_(threads), by_name_(by_name),
        inputs_(MakeSlots(package_->inputs, true)), outputs_(MakeSlots(package_->outputs, false)) {}

  bool Run(const std::vector<PaddleTensor>& inputs, std::vector<PaddleTensor>* outputs, int) override {
    if (outputs == nullptr) Refuse("Run: expected a vector for the outputs, got nullptr");
    std::vector<at::Tensor> feeds;
    for (size_t i = 0; i < package_->inputs.size(); ++i) Feed(package_->inputs[i], Chosen(inputs, i), &feeds);
    const std::vector<at::Tensor> results = Compute(std::move(feeds));
    outputs->resize(package_->outputs.size());
    size_t next = 0;
    for (size_t i = 0; i < package_->outputs.size(); ++i) {
      const Value& value = package_->outputs[i];
      const at::Tensor tensor = results[next++].contiguous();
      PaddleTensor& out = (*outputs)[i];
      out.name = value.name;
      out.dtype = ToPaddle(tensor.scalar_type(), value.name);
      out.shape.assign(tensor.sizes().begin(), tensor.sizes().end());
      out.data.Resize(tensor.nbytes());
      if (tensor.nbytes() > 0) std::memcpy(out.data.data(), tensor.data_ptr(), tensor.nbytes());
      out.lod = LevelsOf(value, results, &next);
    }
    return true;
  }

  bool ZeroCopyRun() override {
    std::vector<at::Tensor> feeds;
    for (const auto& slot : inputs_) {
      if (!slot->tensor.defined()) {
        Refuse("input '", slot->value.name, "': there is no data yet; call copy_from_cpu or mutable_data");
      }
      CheckLoD(slot->value, slot->lod, slot->tensor.dim() > 0 ? slot->tensor.size(0) : 0);
      feeds.push_back(slot->tensor);
      for (const auto& offsets : slot->lod) feeds.push_back(ToLengths(offsets));
    }
    const std::vector<at::Tensor> results = Compute(std::move(feeds));
    size_t next = 0;
    for (const auto& slot : outputs_) {
      at::Tensor tensor = results[next++].contiguous();
      for (const auto& input : inputs_) {  // an output that is an input would change with it
        if (tensor.is_alias_of(input->tensor)) tensor = tensor.clone();
      }
      slot->value.dtype = tensor.scalar_type();
      slot->tensor = std::move(tensor);
      slot->lod = LevelsOf(slot->value, results, &next);
    }
    return true;
  }

  std::vector<std::string> GetInputNames() override { return Names(package_->inputs); }
  std::vector<std::string> GetOutputNames() override { return Names(package_->outputs); }

  std::map<std::string, std::vector<int64_t>> GetInputTensorShape() override {
    std::map<std::string, std::vector<int64_t>> shapes;
    for (const Value& value : package_->inputs) shapes[value.name] = value.shape;
    return shapes;
  }

  std::unique_ptr<ZeroCopyTensor> GetInputTensor(const std::string& name) override {
    return Named(inputs_, name, "input", package_->inputs);
  }
  std::unique_ptr<ZeroCopyTensor> GetOutputTensor(const std::string& name) override {
    return Named(outputs_, name, "output", package_->outputs);
  }

  std::unique_ptr<paddle::PaddlePredictor> Clone() override {
    return std::make_unique<Predictor>(package_, engine_, threads_, by_name_);
  }

  std::string GetSerializedProgram() const override {
    Refuse("GetSerializedProgram: the package '", package_->path, "' holds compiled code and no program");
  }

 private:
  static std::vector<std::string> Names(const std::vector<Value>& values) {
    std::vector<std::string> names;
    for (const Value& value : values) names.push_back(value.name);
    return names;
  }

  static std::unique_ptr<ZeroCopyTensor> Named(const Slots& slots, const std::string& name, const char* kind,
                                               const std::vector<Value>& values) {
    for (const auto& slot : slots) {
      if (slot->value.name == name) return std::make_unique<ZeroCopyTensor>(slot);
    }
    Refuse("the model has no ", kind, " '", name, "'; it has ", NamesOf(values));
  }

  // The tensor for input i: by its place, or by its name where the configuration says so.
  const PaddleTensor& Chosen(const std::vector<PaddleTensor>& inputs, size_t i) const {
    if (inputs.size() != package_->inputs.size()) {
      Refuse("Run: expected ", package_->inputs.size(), " inputs (", NamesOf(package_->inputs), "), got ",
             inputs.size());
    }
    if (!by_name_) return inputs[i];
    for (const PaddleTensor& tensor : inputs) {
      if (tensor.name == package_->inputs[i].name) return tensor;
    }
    std::string names;
    for (const PaddleTensor& tensor : inputs) names += (names.empty() ? "'" : ", '") + tensor.name + "'";
    Refuse("Run: expected the inputs ", NamesOf(package_->inputs), ", got ", names);
  }

  static void Feed(const Value& value, const PaddleTensor& given, std::vector<at::Tensor>* feeds) {
    static constexpr const char* kNames[] = {"float32", "int64", "int32", "uint8"};
    const paddle::PaddleDType wanted = ToPaddle(value.dtype, value.name);
    if (given.dtype != wanted) {
      const bool is_known = given.dtype >= paddle::FLOAT32 && given.dtype <= paddle::UINT8;
      Refuse("input '", value.name, "': expected ", kNames[wanted], ", got ",
             is_known ? kNames[given.dtype] : "no dtype; set PaddleTensor::dtype");
    }
    CheckShape(value, given.shape);
    const std::vector<int64_t> sizes(given.shape.begin(), given.shape.end());
    size_t bytes = c10::elementSize(value.dtype);
    for (int64_t size : sizes) bytes *= static_cast<size_t>(size);
    if (given.data.length() < bytes) {
      Refuse("input '", value.name, "': the shape ", Show(sizes), " takes ", bytes, " bytes, but its data has ",
             given.data.length());
    }
    CheckLoD(value, given.lod, sizes.empty() ? 0 : sizes[0]);
    feeds->push_back(at::from_blob(given.data.data(), sizes, value.dtype));
    for (const auto& offsets : given.lod) feeds->push_back(ToLengths(offsets));
  }

  std::vector<at::Tensor> Compute(std::vector<at::Tensor> feeds) {
    return Guarded("the model '" + package_->path + "' failed", [&] {
      const c10::InferenceMode no_gradients;
      const Threads limit(threads_);
      return engine_->Run(std::move(feeds));
    });
  }

  static LoD LevelsOf(const Value& value, const std::vector<at::Tensor>& results, size_t* next) {
    LoD lod;
    for (int level = 0; level < value.levels; ++level) lod.push_back(ToOffsets(results[(*next)++]));
    return lod;
  }

  std::shared_ptr<const Description> package_;
  std::shared_ptr<Engine> engine_;
  int threads_;
  bool by_name_;
  Slots inputs_, outputs_;
};

// A package in memory becomes a file for as long as it takes to load it.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& bytes) {
    std::string pattern = (std::filesystem::temp_directory_path() / "refluid-XXXXXX.pt2").string();
    const int file = mkstemps(pattern.data(), 4);
    if (file < 0) Refuse("SetModelBuffer: no temporary file can be made");
    path_ = pattern;
    FILE* stream = fdopen(file, "wb");
    const size_t written = std::fwrite(bytes.data(), 1, bytes.size(), stream);
    if (std::fclose(stream) != 0 || written != bytes.size()) {
      std::remove(path_.c_str());
      Refuse("SetModelBuffer: '", path_, "' cannot be written");
    }
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::unique_ptr<paddle::PaddlePredictor> Load(const std::string& path, int threads, bool by_name) {
  auto package = std::make_shared<const Description>(ReadDescription(path));
  std::shared_ptr<Engine> engine = LoadEngine(*package);
  return std::make_unique<Predictor>(std::move(package), std::move(engine), threads, by_name);
}

void TellAboutGpu(bool use_gpu) {
  static std::once_flag told;
  if (!use_gpu) return;
  std::call_once(told, [] { std::fputs("EnableUseGpu: packages run on the CPU\n", stderr); });
}

}  // namespace
}  // namespace refluid

namespace paddle {

template <>
PADDLE_INFER_API std::unique_ptr<PaddlePredictor> CreatePaddlePredictor<AnalysisConfig>(const AnalysisConfig& config) {
  refluid::TellAboutGpu(config.use_gpu());
  if (config.model_from_memory()) {
    const refluid::TemporaryFile file(config.buffer());
    return refluid::Load(file.path(), config.threads(), config.specify_input_name());
  }
  const std::string path = refluid::FindPackage(config.model_dir(), config.prog_file());
  return refluid::Load(path, config.threads(), config.specify_input_name());
}

template <>
PADDLE_INFER_API std::unique_ptr<PaddlePredictor> CreatePaddlePredictor<NativeConfig>(const NativeConfig& config) {
  refluid::TellAboutGpu(config.use_gpu);
  const std::string path = refluid::FindPackage(config.model_dir, config.prog_file);
  return refluid::Load(path, config.threads(), config.specify_input_name);
}

template <>
PADDLE_INFER_API std::unique_ptr<PaddlePredictor>
CreatePaddlePredictor<NativeConfig, PaddleEngineKind::kNative>(const NativeConfig& config) {
  return CreatePaddlePredictor<NativeConfig>(config);
}

template <>
PADDLE_INFER_API std::unique_ptr<PaddlePredictor>
CreatePaddlePredictor<AnalysisConfig, PaddleEngineKind::kAnalysis>(const AnalysisConfig& config) {
  return CreatePaddlePredictor<AnalysisConfig>(config);
}

int PaddleDtypeSize(PaddleDType dtype) {
  switch (dtype) {
    case FLOAT32:
    case INT32:
      return 4;
    case INT64:
      return 8;
    case UINT8:
      return 1;
  }
  refluid::Refuse("PaddleDtypeSize: there is no dtype ", static_cast<int>(dtype));
}

std::string get_version() { return "Refluid's C++ prediction library, with the interface of Fluid 1.8"; }

}  // namespace paddle
