// What `python -m refluid export --to cpp` writes: one archive with the compiled model and a description of it.
#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <string>
#include <vector>

#include "paddle_inference_api.h"

namespace refluid {

struct Value {
  std::string name;
  c10::ScalarType dtype;
  int levels;                   // of the LoD: so many vectors of lengths follow the tensor
  std::vector<int64_t> shape;   // -1: any size
};

struct Description {
  std::string path;
  std::string kind;   // aotinductor or torchscript
  std::string torch;  // the release that made it
  std::vector<Value> inputs, outputs;
};

// The path of the package that a configuration names; refuses with the command that makes one where there is none.
std::string FindPackage(const std::string& model_dir, const std::string& prog_file);

Description ReadDescription(const std::string& path);

// Names as they stand in descriptions and messages.
std::string NameOf(c10::ScalarType dtype);

// Dtypes as programs see them; bools are bytes. Refuses what PaddleDType has no name for.
paddle::PaddleDType ToPaddle(c10::ScalarType dtype, const std::string& name);

}  // namespace refluid
