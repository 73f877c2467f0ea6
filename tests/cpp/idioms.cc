// What programs for Fluid write, one way after another; in C++11, with the headers under the paths of Fluid's packages.
//   idioms MODEL_DIR PACKAGE < numbers: the model takes one float32 [N, 1, 20, 20]
#include <paddle/fluid/inference/api/paddle_inference_api.h>
#include <paddle/fluid/inference/api/paddle_mkldnn_quantizer_config.h>
#include <paddle/include/paddle_inference_api.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <numeric>
#include <sstream>

using namespace paddle;  // NOLINT: demos do so

void Print(const char* what, const float* values, size_t count) {
  std::cout << what;
  std::cout.precision(9);
  for (size_t i = 0; i < count; ++i) std::cout << " " << values[i];
  std::cout << "\n";
}

// A tensor by its fields, over memory of the program; the same slots for every call.
void PredictByRun(const char* what, PaddlePredictor* predictor, std::vector<float>* image) {
  PaddleTensor tensor{"img", std::vector<int>({1, 1, 20, 20}), PaddleBuf(image->data(), image->size() * sizeof(float)),
                      PaddleDType::FLOAT32, {}};
  std::vector<PaddleTensor> slots(1, tensor), outputs;
  for (int batch = 0; batch < 2; ++batch) {
    if (!predictor->Run(slots, &outputs, 1)) std::abort();
  }
  Print(what, static_cast<float*>(outputs.front().data.data()), outputs.front().data.length() / sizeof(float));
}

void PredictByZeroCopy(const char* what, const AnalysisConfig& config, const std::vector<float>& image) {
  auto predictor = CreatePaddlePredictor(config);
  auto input = predictor->GetInputTensor(predictor->GetInputNames()[0]);
  input->Reshape({1, 1, 20, 20});
  std::memcpy(input->mutable_data<float>(PaddlePlace::kCPU), image.data(), image.size() * sizeof(float));
  if (!predictor->ZeroCopyRun()) std::abort();
  for (const std::string& name : predictor->GetOutputNames()) {
    auto output = predictor->GetOutputTensor(name);
    const std::vector<int> shape = output->shape();
    std::vector<float> found(std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<int>()));
    output->copy_to_cpu(found.data());
    Print(what, found.data(), found.size());
  }
}

void Refused(const std::function<void()>& call) {
  try {
    call();
    std::cout << "not refused\n";
  } catch (const std::runtime_error& refusal) {
    std::cout << "refused: " << refusal.what() << "\n";
  }
}

std::string BytesOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

int main(int, char** arguments) {
  std::vector<float> image((std::istream_iterator<float>(std::cin)), std::istream_iterator<float>());

  NativeConfig native;
  native.model_dir = arguments[1];
  native.use_gpu = false;
  native.device = 0;
  native.fraction_of_gpu_memory = 0.15f;
  auto main_predictor = CreatePaddlePredictor<NativeConfig, PaddleEngineKind::kNative>(native);
  PredictByRun("native", main_predictor.get(), &image);
  auto clone = main_predictor->Clone();
  main_predictor.reset();
  PredictByRun("clone", clone.get(), &image);

  contrib::AnalysisConfig config;
  config.SetModel(arguments[1]);
  config.SwitchUseFeedFetchOps(false);
  config.SwitchIrOptim(false);
  config.SwitchIrDebug();
  config.EnableMKLDNN();
  config.SetMkldnnCacheCapacity(4);
  config.SetMKLDNNOp({"conv2d"});
  config.EnableMemoryOptim(true, false);
  config.DisableGlogInfo();
  config.EnableProfile();
  config.pass_builder()->TurnOnDebug();
  config.pass_builder()->AppendPass("fc_fuse_pass");
  config.pass_builder()->DeletePass("fc_fuse_pass");
  PredictByZeroCopy("zero", config, image);
  auto from_analysis = CreatePaddlePredictor(config.ToNativeConfig());
  PredictByRun("converted", from_analysis.get(), &image);

  const std::string package = BytesOf(arguments[2]), program = BytesOf(std::string(arguments[1]) + "/model");
  AnalysisConfig buffered;
  buffered.SwitchUseFeedFetchOps(false);
  buffered.SetModelBuffer(package.data(), package.size(), nullptr, 0);
  PredictByZeroCopy("buffer", buffered, image);

  Refused([&] { buffered.SetModelBuffer(program.data(), program.size(), "", 0); });
  Refused([&] { config.EnableMkldnnQuantizer(); });
  Refused([&] { config.mkldnn_quantizer_config()->SetScaleAlgo("conv2d", "Input", ScaleAlgo::KL); });
  Refused([&] { config.EnableTensorRtEngine(1 << 20, 1, 3, AnalysisConfig::Precision::kInt8, false, true); });
}
