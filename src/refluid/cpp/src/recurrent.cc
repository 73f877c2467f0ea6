// Recurrent units over sequences of different lengths, as operators that packages call: their loops have as many
// iterations as the longest sequence, which only a run tells.
#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros.h>
#include <torch/library.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "errors.h"

namespace refluid {

namespace {

using at::Tensor;
using Function = Tensor (*)(const Tensor&);

Tensor Identity(const Tensor& x) { return x; }

Function FunctionOf(std::string_view name) {
  if (name == "sigmoid") return at::sigmoid;
  if (name == "tanh") return at::tanh;
  if (name == "relu") return at::relu;
  if (name == "identity") return Identity;
  Refuse("recurrent unit: there is no activation '", name, "'");
}

// The sequences in the order of their lengths, the longest first: those that are still going at a step come first.
class Steps {
 public:
  Steps(const Tensor& lengths, bool reverse) : reverse_(reverse) {
    const Tensor flat = lengths.contiguous();
    const int64_t* begin = flat.data_ptr<int64_t>();
    lengths_.assign(begin, begin + flat.numel());
    starts_.resize(lengths_.size());
    std::exclusive_scan(lengths_.begin(), lengths_.end(), starts_.begin(), int64_t{0});
    order_.resize(lengths_.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(), [&](auto a, auto b) { return lengths_[a] > lengths_[b]; });
  }

  int64_t count() const { return order_.empty() ? 0 : lengths_[order_[0]]; }

  // The rows of x that are the turn of the sequences longer than `step`.
  Tensor Rows(int64_t step) const {
    int64_t going = 0;
    while (going < static_cast<int64_t>(order_.size()) && lengths_[order_[going]] > step) ++going;
    Tensor rows = at::empty({going}, at::kLong);
    int64_t* out = rows.data_ptr<int64_t>();
    for (int64_t i = 0; i < going; ++i) {
      const int64_t sequence = order_[i];
      out[i] = starts_[sequence] + (reverse_ ? lengths_[sequence] - 1 - step : step);
    }
    return rows;
  }

  Tensor Initial(const std::optional<Tensor>& given, const Tensor& like, int64_t size) const {
    const auto sequences = static_cast<int64_t>(order_.size());
    if (!given.has_value()) return at::zeros({sequences, size}, like.options());
    Tensor order = at::empty({sequences}, at::kLong);
    std::copy(order_.begin(), order_.end(), order.data_ptr<int64_t>());
    return given->index_select(0, order);
  }

 private:
  bool reverse_;
  std::vector<int64_t> lengths_, starts_, order_;
};

std::tuple<Tensor, Tensor> Lstm(const Tensor& x, const Tensor& lengths, const Tensor& weight, const Tensor& bias,
                                c10::string_view gate_name, c10::string_view candidate_name,
                                c10::string_view output_name, bool peepholes, bool reverse,
                                const std::optional<Tensor>& h0, const std::optional<Tensor>& c0) {
  const Function gate = FunctionOf(gate_name), candidate = FunctionOf(candidate_name),
                 output = FunctionOf(output_name);
  const int64_t size = weight.size(0);
  const Tensor flat = bias.reshape(-1);
  const Tensor sums = x + flat.narrow(0, 0, 4 * size);
  const Steps steps(lengths, reverse);
  Tensor hidden = steps.Initial(h0, x, size), cell = steps.Initial(c0, x, size);
  Tensor hiddens = at::empty({x.size(0), size}, x.options()), cells = at::empty({x.size(0), size}, x.options());
  for (int64_t step = 0; step < steps.count(); ++step) {
    const Tensor rows = steps.Rows(step);
    const Tensor old = cell.narrow(0, 0, rows.size(0));
    const Tensor parts = at::addmm(sums.index_select(0, rows), hidden.narrow(0, 0, rows.size(0)), weight);
    Tensor i = parts.narrow(1, size, size), f = parts.narrow(1, 2 * size, size), o = parts.narrow(1, 3 * size, size);
    if (peepholes) {
      i = i + old * flat.narrow(0, 4 * size, size);
      f = f + old * flat.narrow(0, 5 * size, size);
    }
    cell = candidate(parts.narrow(1, 0, size)) * gate(i) + old * gate(f);
    if (peepholes) o = o + cell * flat.narrow(0, 6 * size, size);
    hidden = gate(o) * output(cell);
    cells.index_copy_(0, rows, cell);
    hiddens.index_copy_(0, rows, hidden);
  }
  return {hiddens, cells};
}

Tensor Gru(const Tensor& x, const Tensor& lengths, const Tensor& weight, c10::string_view gate_name,
           c10::string_view candidate_name, bool origin, bool reverse, const std::optional<Tensor>& h0) {
  const Function gate = FunctionOf(gate_name), candidate = FunctionOf(candidate_name);
  const int64_t size = weight.size(0);
  const Tensor flat = weight.reshape(-1);
  const Tensor of_gates = flat.narrow(0, 0, 2 * size * size).reshape({size, 2 * size});
  const Tensor of_candidate = flat.narrow(0, 2 * size * size, size * size).reshape({size, size});
  const Steps steps(lengths, reverse);
  Tensor hidden = steps.Initial(h0, x, size);
  Tensor hiddens = at::empty({x.size(0), size}, x.options());
  for (int64_t step = 0; step < steps.count(); ++step) {
    const Tensor rows = steps.Rows(step);
    const Tensor old = hidden.narrow(0, 0, rows.size(0)), turn = x.index_select(0, rows);
    const Tensor gates = gate(at::addmm(turn.narrow(1, 0, 2 * size), old, of_gates));
    const Tensor u = gates.narrow(1, 0, size), r = gates.narrow(1, size, size);
    const Tensor fresh = candidate(at::addmm(turn.narrow(1, 2 * size, size), r * old, of_candidate));
    hidden = origin ? fresh + u * (old - fresh) : old + u * (fresh - old);
    hiddens.index_copy_(0, rows, hidden);
  }
  return hiddens;
}

}  // namespace

// The schemas are those of refluid/export/to_cpp/operators.py.
TORCH_LIBRARY(refluid, library) {
  library.def(
      "lstm(Tensor x, Tensor lengths, Tensor weight, Tensor bias, str gate, str candidate, str output, "
      "bool peepholes, bool reverse, Tensor? h0, Tensor? c0) -> (Tensor, Tensor)");
  library.def(
      "gru(Tensor x, Tensor lengths, Tensor weight, str gate, str candidate, bool origin, bool reverse, "
      "Tensor? h0) -> Tensor");
}

TORCH_LIBRARY_IMPL(refluid, CPU, library) {
  library.impl("lstm", Lstm);
  library.impl("gru", Gru);
}

}  // namespace refluid
