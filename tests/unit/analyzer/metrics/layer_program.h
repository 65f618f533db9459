// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_UNIT_ANALYZER_METRICS_LAYER_PROGRAM_H_
#define DLTAP_TESTS_UNIT_ANALYZER_METRICS_LAYER_PROGRAM_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/metrics/figures/figures.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {

inline constexpr int kMain = 0;
inline constexpr int kAutograd = 1;

// The name of one of PyTorch's elementwise kernels.
inline std::string Elementwise(const std::string& functor) {
  return "\"void at::native::vectorized_elementwise_kernel<4, at::native::" +
         functor + " >(int)\"";
}
inline const std::string kTimes =
    Elementwise("BinaryFunctor<float, MulFunctor<float> >");

// Writes a program, a call and its kernel after the other.
class Program {
 public:
  // `call` with its arguments starts a kernel of `us` microseconds.
  Program& Do(int thread, const std::string& call, const std::string& kernel,
              int us) {
    const std::string corr = std::to_string(++calls_);
    const std::string begin = std::to_string(at_us_);
    const auto until = [this](int later) {
      return std::to_string(at_us_ + later) + "us";
    };
    text_ += "call t=" + begin + ".." + until(2) +
             " thread=" + std::to_string(thread) + " " + call + "\n";
    text_ += "launchapi t=" + begin + ".." + until(1) +
             " thread=" + std::to_string(thread) + " corr=" + corr +
             " ext=" + begin + "us\n";
    text_ += "kernel t=" + std::to_string(at_us_ + 3) + ".." + until(3 + us) +
             " device=0 stream=7 corr=" + corr + " name=" + kernel + "\n";
    at_us_ += 3 + us;
    return *this;
  }
  Program& Gemm(int thread, const std::string& arguments, int us) {
    return Do(thread, "cublasSgemm_v2 " + arguments, "ampere_sgemm_128x64_nn",
              us);
  }
  // Within the device, to the address.
  Program& Copy(int thread, const std::string& to, int us) {
    const size_t kernel = text_.size();
    Do(thread, "cudaMemcpyAsync dst=" + to + " src=0x50 count=256 kind=3",
       "copy", us);
    const size_t at = text_.find("kernel t=", kernel);
    text_.replace(at, 6, "memcpy");
    const size_t name = text_.find("name=copy", at);
    text_.replace(name, 9, "bytes=256 kind=dtod src=device dst=device");
    return *this;
  }
  Program& Memset(int thread, int us) {
    const size_t kernel = text_.size();
    Do(thread, "cudaMemsetAsync dst=0x60 count=256", "memset", us);
    const size_t at = text_.find("kernel t=", kernel);
    text_.replace(at, 6, "memset");
    text_.replace(text_.find("name=memset", at), 11, "bytes=256");
    return *this;
  }
  Program& Kernel(int thread, const std::string& name, int us) {
    return Do(thread, "cudaLaunchKernel", name, us);
  }
  // The launch's arguments tell `operation`.
  Program& Told(int thread, int operation, const std::string& name, int us) {
    return Do(thread, "cudaLaunchKernel operation=" + std::to_string(operation),
              name, us);
  }
  // Inside an operator, of autograd's node `sequence`.
  Program& Operator(int thread, const std::string& name, int sequence,
                    const std::string& kernel, int us) {
    const int begin = at_us_;
    Kernel(thread, kernel, us);
    text_ += "range t=" + std::to_string(begin) + ".." +
             std::to_string(at_us_) + "us thread=" + std::to_string(thread) +
             " kind=op name=" + name + " seq=" + std::to_string(sequence) +
             "\n";
    return *this;
  }
  // Kernels inside one operator, of autograd's node `sequence`.
  Program& Node(int thread, const std::string& name, int sequence,
                const std::vector<std::pair<std::string, int>>& kernels) {
    const int begin = at_us_;
    for (const auto& [kernel, us] : kernels) Kernel(thread, kernel, us);
    text_ += "range t=" + std::to_string(begin) + ".." +
             std::to_string(at_us_) + "us thread=" + std::to_string(thread) +
             " kind=op name=" + name + " seq=" + std::to_string(sequence) +
             "\n";
    return *this;
  }
  Program& Pause(int us) {
    at_us_ += us;
    return *this;
  }

  Summary Sum() const {
    const TraceModel model = TraceFromText(
        "operation 1 attention_forward storage=bf16 math=bf16 batch=2 heads=4 "
        "kv_heads=4 seq_q=300 seq_kv=300 head_dim=64\n"
        "operation 2 attention_backward storage=bf16 math=bf16 batch=2 heads=4 "
        "kv_heads=4 seq_q=300 seq_kv=300 head_dim=64\n"
        "device 0 name=gpu\nthread 0 tid=1 name=python\n"
        "thread 1 tid=2 name=pt_autograd_0\n" +
        text_);
    return Summarise(model, Attribute(model));
  }

 private:
  std::string text_;
  int calls_ = 0;
  int at_us_ = 0;
};

struct Row {
  std::string operation;
  double forward_us;
  double data_us;
  double weight_us;
  double both_us;
  double again_us;
  uint64_t calls;

  bool operator==(const Row&) const = default;
};

inline void PrintTo(const Row& row, std::ostream* out) {
  *out << row.operation << " " << row.forward_us << " " << row.data_us << " "
       << row.weight_us << " " << row.both_us << " " << row.again_us << " x"
       << row.calls;
}

inline std::vector<Row> RowsOf(const Figures& figures) {
  std::vector<Row> rows;
  for (const LayerFigures& layer : figures.layers.layers) {
    if (layer.row != LayerRow::kLayer) continue;
    const LayerShare& step = layer.step_mean;
    rows.push_back({layer.identity.operation, step.forward_ns / 1e3,
                    step.backward_data_ns / 1e3, step.backward_weight_ns / 1e3,
                    step.backward_both_ns / 1e3, step.recompute_ns / 1e3,
                    layer.sums.calls});
  }
  return rows;
}

// Of a layer, all its gradients together.
struct Times {
  double forward_us;
  double backward_us;

  bool operator==(const Times&) const = default;
};

inline void PrintTo(const Times& times, std::ostream* out) {
  *out << times.forward_us << " + " << times.backward_us;
}

inline std::vector<Times> TimesOf(const Program& program) {
  const Summary summary = program.Sum();
  std::vector<Times> times;
  for (const Row& row : RowsOf(FiguresOf(summary))) {
    times.push_back(
        {row.forward_us, row.data_us + row.weight_us + row.both_us});
  }
  return times;
}

using All = std::vector<Times>;

inline int64_t MatchedUs(const Figures& figures, LayerMatch match) {
  return figures.layers.matching.match_ns[static_cast<size_t>(match)] / 1000;
}

}  // namespace dltap::analyzer

#endif  // DLTAP_TESTS_UNIT_ANALYZER_METRICS_LAYER_PROGRAM_H_
