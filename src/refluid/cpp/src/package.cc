#include "package.h"

#include <caffe2/serialize/inline_container.h>

#include <filesystem>
#include <sstream>
#include <tuple>
#include <utility>

#include "errors.h"

namespace refluid {

namespace fs = std::filesystem;

namespace {

constexpr const char* kRecord = "extra/refluid.txt";
constexpr const char* kEnding = ".pt2";

const std::vector<std::pair<const char*, c10::ScalarType>> kDtypes = {
    {"float32", c10::ScalarType::Float}, {"float64", c10::ScalarType::Double}, {"float16", c10::ScalarType::Half},
    {"int64", c10::ScalarType::Long},    {"int32", c10::ScalarType::Int},      {"int16", c10::ScalarType::Short},
    {"int8", c10::ScalarType::Char},     {"uint8", c10::ScalarType::Byte},     {"bool", c10::ScalarType::Bool},
};

bool EndsWith(const std::string& text, const std::string& ending) {
  return text.size() >= ending.size() && text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

[[noreturn]] void RefuseUnexported(const std::string& folder, const std::string& options) {
  Refuse("the model in '", folder, "' has not been exported for C++; run: python -m refluid export ", folder,
         " --to cpp", options);
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

c10::ScalarType DtypeOf(const std::string& name) {
  for (const auto& [known, dtype] : kDtypes) {
    if (name == known) return dtype;
  }
  Refuse("its description names the dtype '", name, "', which is unknown here");
}

Value ParseValue(const std::vector<std::string>& fields) {
  if (fields.size() < 4) Refuse("its description is damaged");
  Value value{fields[1], DtypeOf(fields[2]), std::stoi(fields[3]), {}};
  if (fields.size() > 4) {
    for (const auto& size : Split(fields[4], ',')) value.shape.push_back(std::stoll(size));
  }
  return value;
}

// Compiled code holds the instructions of the processor that it was made for.
void CheckProcessor(const std::string& isa) {
#if defined(__x86_64__)
  const bool fits = isa == "avx512" ? __builtin_cpu_supports("avx512f")
                    : isa == "avx2" ? __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
                                    : true;
  if (!fits) Refuse("it was made for processors with ", isa, ", which this one lacks; export the model on this machine");
#endif
}

}  // namespace

std::string FindPackage(const std::string& model_dir, const std::string& prog_file) {
  if (!prog_file.empty()) {
    if (!fs::exists(prog_file) && !fs::exists(prog_file + kEnding)) {
      Refuse("there is no file '", prog_file, "' to predict with");
    }
    if (EndsWith(prog_file, kEnding)) return prog_file;
    if (fs::exists(prog_file + kEnding)) return prog_file + kEnding;
    const fs::path path(prog_file);
    const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
    RefuseUnexported(folder, " --model " + path.filename().string() + " --params FILE");
  }
  if (model_dir.empty()) Refuse("the configuration names no model; call SetModel, or set model_dir");
  if (!fs::exists(model_dir)) Refuse("there is no folder '", model_dir, "' to predict with");
  if (!fs::is_directory(model_dir)) {
    if (EndsWith(model_dir, kEnding)) return model_dir;
    Refuse("'", model_dir, "' is a file; expected the folder of a model, or a package that ends in ", kEnding);
  }
  for (const char* name : {"__model__", "model"}) {
    const fs::path package = fs::path(model_dir) / (std::string(name) + kEnding);
    if (fs::exists(package)) return package.string();
  }
  for (const char* name : {"__model__", "model"}) {
    if (fs::exists(fs::path(model_dir) / name)) RefuseUnexported(model_dir, "");
  }
  Refuse("'", model_dir, "' holds no model: there is neither __model__ nor the package __model__", kEnding);
}

Description ReadDescription(const std::string& path) {
  return Guarded("'" + path + "' cannot be used as a package for C++", [&] {
    caffe2::serialize::PyTorchStreamReader reader(path);
    if (!reader.hasRecord(kRecord)) Refuse("'", path, "' was not written by python -m refluid export --to cpp");
    const auto [data, size] = reader.getRecord(kRecord);
    std::istringstream text(std::string(static_cast<const char*>(data.get()), size));
    Description found;
    found.path = path;
    std::string isa;
    for (std::string line; std::getline(text, line);) {
      const std::vector<std::string> fields = Split(line, '\t');
      if (fields.size() < 2) continue;
      if (fields[0] == "format" && fields[1] != "1") {
        Refuse("'", path, "' is of format ", fields[1], ", but this library reads format 1; export the model again");
      } else if (fields[0] == "kind") {
        found.kind = fields[1];
      } else if (fields[0] == "torch") {
        found.torch = fields[1];
      } else if (fields[0] == "isa") {
        isa = fields[1];
      } else if (fields[0] == "input") {
        found.inputs.push_back(ParseValue(fields));
      } else if (fields[0] == "output") {
        found.outputs.push_back(ParseValue(fields));
      }
    }
    if (found.kind == "aotinductor") CheckProcessor(isa);
    return found;
  });
}

std::string NameOf(c10::ScalarType dtype) {
  for (const auto& [name, known] : kDtypes) {
    if (dtype == known) return name;
  }
  return c10::toString(dtype);
}

paddle::PaddleDType ToPaddle(c10::ScalarType dtype, const std::string& name) {
  switch (dtype) {
    case c10::ScalarType::Float:
      return paddle::FLOAT32;
    case c10::ScalarType::Long:
      return paddle::INT64;
    case c10::ScalarType::Int:
      return paddle::INT32;
    case c10::ScalarType::Byte:
    case c10::ScalarType::Bool:
      return paddle::UINT8;
    default:
      Refuse("'", name, "' is of ", NameOf(dtype), ", which PaddleDType has no name for; cast it in the model");
  }
}

}  // namespace refluid
