// Predictions from C++: cpp_predict MODEL_DIR TIMES BATCH SIZES.. predicts so many times for every line that it reads, and
// answers with the first number of the result.
#include <paddle_inference_api.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

int main(int count, char** arguments) {
  std::vector<int> shape;
  size_t size = 1;
  const int times = std::atoi(arguments[2]);
  for (int i = 3; i < count; ++i) shape.push_back(std::atoi(arguments[i])), size *= shape.back();
  std::vector<float> image(size), found;
  for (size_t i = 0; i < size; ++i) image[i] = static_cast<float>(i * 7919 % 2000) / 1000.f - 1.f;
  try {
    paddle::AnalysisConfig config(arguments[1]);
    config.SwitchUseFeedFetchOps(false);
    auto predictor = paddle::CreatePaddlePredictor(config);
    auto input = predictor->GetInputTensor(predictor->GetInputNames()[0]);
    auto output = predictor->GetOutputTensor(predictor->GetOutputNames()[0]);
    while (std::getchar() != EOF) {
      for (int i = 0; i < times; ++i) {
        input->Reshape(shape);
        input->copy_from_cpu(image.data());
        predictor->ZeroCopyRun();
        found.resize(shape[0] * output->shape()[1]);
        output->copy_to_cpu(found.data());
      }
      std::printf("%.9g\n", found[0]);
      std::fflush(stdout);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
