// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_STACKED_SAMPLES_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_STACKED_SAMPLES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Work on each sample of a batch by itself, before they are joined and go
// through the layers. METRICS.md "Avoidable work", stacked_samples.
class StackedSamples {
 public:
  using Launch = std::pair<TextId, uint64_t>;  // kernel's name, its blocks
  struct Kernel {
    Launch launch;
    double ns;
    double bytes;                   // 0: unknown, as the next
    double bytes_ns;                // what these take at least
    std::optional<double> work_ns;  // and at worst
    bool is_new;
  };
  struct Sums {
    uint64_t count = 0;  // kernels
    double ns = 0;
    double best_ns = 0;   // of as many kernels as one sample has, at best
    double worst_ns = 0;  // and at worst
  };

  // All kernels of a device in time that are of no layer.
  void AddOther(const Kernel& kernel);
  // `ns`: its time.
  Sums AddConcatenation(double ns);
  // A layer's kernel: what follows works on what layers made.
  void AddLayer();
  // A batch begins.
  void Begin();
  void EndWindow() {
    if (has_layers_) Begin();
  }

 private:
  struct OfLaunch {
    Sums sums;
    uint64_t times = 0;
    double bytes = 0;
    double bytes_ns = 0;
  };
  std::map<Launch, OfLaunch> launches_;
  uint64_t kernels_ = 0;
  bool has_layers_ = false;  // since the batch began
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_STACKED_SAMPLES_H_
