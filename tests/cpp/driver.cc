// Predicts with what comes on the standard input and prints what goes out, or the words of the refusal.
//   driver run|named|native|zero|threads|names MODEL [PARAMS]
// An input is: name dtype rank sizes.. levels (count offsets..).. count values..
#include <paddle_inference_api.h>

#include <atomic>
#include <cstring>
#include <iostream>
#include <thread>

using paddle::PaddleTensor;

template <typename T>
void Fill(PaddleTensor* tensor, size_t count) {
  tensor->data.Resize(count * sizeof(T));
  for (size_t i = 0; i < count; ++i) {
    double number;
    std::cin >> number;
    static_cast<T*>(tensor->data.data())[i] = static_cast<T>(number);
  }
}

std::vector<PaddleTensor> ReadInputs() {
  std::vector<PaddleTensor> inputs;
  for (std::string name, dtype; std::cin >> name >> dtype;) {
    PaddleTensor tensor;
    tensor.name = name;
    size_t rank, levels, count;
    std::cin >> rank;
    tensor.shape.resize(rank);
    for (int& size : tensor.shape) std::cin >> size;
    std::cin >> levels;
    tensor.lod.resize(levels);
    for (auto& level : tensor.lod) {
      std::cin >> count;
      level.resize(count);
      for (size_t& offset : level) std::cin >> offset;
    }
    std::cin >> count;
    if (dtype == "float32") tensor.dtype = paddle::FLOAT32, Fill<float>(&tensor, count);
    if (dtype == "int64") tensor.dtype = paddle::INT64, Fill<int64_t>(&tensor, count);
    if (dtype == "int32") tensor.dtype = paddle::INT32, Fill<int32_t>(&tensor, count);
    inputs.push_back(tensor);
  }
  return inputs;
}

void Print(const std::string& name, const std::vector<int>& shape, const std::vector<std::vector<size_t>>& lod,
           paddle::PaddleDType dtype, const void* data) {
  std::cout << name << "\n";
  size_t count = 1;
  for (int size : shape) std::cout << size << " ", count *= size;
  std::cout << "\n";
  for (const auto& level : lod) {
    for (size_t offset : level) std::cout << offset << " ";
    std::cout << ";";
  }
  std::cout << "\n";
  std::cout.precision(9);
  for (size_t i = 0; i < count; ++i) {
    if (dtype == paddle::FLOAT32) std::cout << static_cast<const float*>(data)[i] << " ";
    if (dtype == paddle::INT64) std::cout << static_cast<const int64_t*>(data)[i] << " ";
    if (dtype == paddle::INT32) std::cout << static_cast<const int32_t*>(data)[i] << " ";
  }
  std::cout << "\n";
}

void RunZeroCopy(paddle::PaddlePredictor* predictor, const std::vector<PaddleTensor>& inputs) {
  for (const PaddleTensor& given : inputs) {
    auto tensor = predictor->GetInputTensor(given.name);
    tensor->Reshape(given.shape);
    if (given.dtype == paddle::FLOAT32) tensor->copy_from_cpu(static_cast<float*>(given.data.data()));
    if (given.dtype == paddle::INT64) tensor->copy_from_cpu(static_cast<int64_t*>(given.data.data()));
    if (!given.lod.empty()) tensor->SetLoD(given.lod);
  }
  predictor->ZeroCopyRun();
}

// Clones in threads, each many times: all results equal those of the first run.
void RunThreads(paddle::PaddlePredictor* predictor, const std::vector<PaddleTensor>& inputs) {
  std::vector<PaddleTensor> expected;
  predictor->Run(inputs, &expected);
  std::atomic<int> same{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, clone = std::shared_ptr<paddle::PaddlePredictor>(predictor->Clone())] {
      for (int k = 0; k < 25; ++k) {
        std::vector<PaddleTensor> outputs;
        clone->Run(inputs, &outputs);
        same += std::memcmp(outputs[0].data.data(), expected[0].data.data(), expected[0].data.length()) == 0;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::cout << same << " of 100 the same\n";
}

int main(int, char** arguments) {
  const std::string mode = arguments[1], model = arguments[2];
  try {
    std::unique_ptr<paddle::PaddlePredictor> predictor;
    if (mode == "native") {
      paddle::NativeConfig config;
      config.model_dir = model;
      config.use_gpu = false;
      predictor = paddle::CreatePaddlePredictor<paddle::NativeConfig>(config);
    } else {
      paddle::AnalysisConfig config;
      if (arguments[3] != nullptr) {
        config.SetModel(model, arguments[3]);
      } else {
        config.SetModel(model);
      }
      config.DisableGpu();
      config.SwitchIrOptim(true);
      config.EnableMemoryOptim();
      config.SetCpuMathLibraryNumThreads(1);
      config.SwitchUseFeedFetchOps(mode != "zero");
      config.SwitchSpecifyInputNames(mode == "named");
      predictor = paddle::CreatePaddlePredictor(config);
    }
    if (mode == "names") {
      for (const auto& entry : predictor->GetInputTensorShape()) {
        std::cout << entry.first << ":";
        for (int64_t size : entry.second) std::cout << " " << size;
        std::cout << "\n";
      }
      for (const auto& name : predictor->GetOutputNames()) std::cout << name << "\n";
      return 0;
    }
    const std::vector<PaddleTensor> inputs = ReadInputs();
    if (mode == "threads") {
      RunThreads(predictor.get(), inputs);
    } else if (mode == "zero") {
      RunZeroCopy(predictor.get(), inputs);
      RunZeroCopy(predictor.get(), inputs);  // a second time, into the same memory
      for (const auto& name : predictor->GetOutputNames()) {
        auto tensor = predictor->GetOutputTensor(name);
        paddle::PaddlePlace place;
        int size;
        const void* data = tensor->type() == paddle::FLOAT32
                               ? static_cast<void*>(tensor->data<float>(&place, &size))
                               : static_cast<void*>(tensor->data<int64_t>(&place, &size));
        Print(name, tensor->shape(), tensor->lod(), tensor->type(), data);
      }
    } else {
      std::vector<PaddleTensor> outputs;
      predictor->Run(inputs, &outputs);
      for (const auto& out : outputs) Print(out.name, out.shape, out.lod, out.dtype, out.data.data());
    }
  } catch (const paddle::platform::EnforceNotMet& refusal) {
    std::cout << "refused: " << refusal.what() << "\n";
    return 1;
  }
}
