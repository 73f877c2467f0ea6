// Recognises handwritten digits without Python: predict MODEL_DIR IMAGES PROBABILITIES
// IMAGES holds 28 x 28 floats per digit; ten probabilities for each are written to PROBABILITIES.
#include <paddle_inference_api.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "predict MODEL_DIR IMAGES PROBABILITIES\n";
    return 2;
  }
  try {
    std::ifstream file(arguments[2], std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const int images = static_cast<int>(bytes.size() / (28 * 28 * sizeof(float)));

    paddle::AnalysisConfig config(arguments[1]);
    config.DisableGpu();
    config.SwitchUseFeedFetchOps(false);
    auto predictor = paddle::CreatePaddlePredictor(config);
    auto input = predictor->GetInputTensor(predictor->GetInputNames()[0]);
    input->Reshape({images, 1, 28, 28});
    input->copy_from_cpu(reinterpret_cast<const float*>(bytes.data()));
    predictor->ZeroCopyRun();

    auto output = predictor->GetOutputTensor(predictor->GetOutputNames()[0]);
    std::vector<float> found(images * 10);
    output->copy_to_cpu(found.data());
    std::ofstream(arguments[3], std::ios::binary)
        .write(reinterpret_cast<const char*>(found.data()), found.size() * sizeof(float));
    for (int i = 0; i < std::min(images, 20); ++i) {
      const float* row = &found[i * 10];
      std::cout << std::max_element(row, row + 10) - row << " ";
    }
    std::cout << "are the first digits\n";
  } catch (const std::exception& refusal) {
    std::cerr << refusal.what() << "\n";
    return 1;
  }
}
