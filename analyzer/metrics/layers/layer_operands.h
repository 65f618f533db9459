// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_LAYERS_LAYER_OPERANDS_H_
#define DLTAP_ANALYZER_METRICS_LAYERS_LAYER_OPERANDS_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "analyzer/attribution/attribution.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The addresses that library calls were given. Holds references.
class LayerOperands {
 public:
  LayerOperands(const TraceModel& model, const Process& process,
                const ProcessAttribution& attribution)
      : model_(model), process_(process), attribution_(attribution) {}

  // Of weights and input, and of gradients.
  std::vector<uint64_t> AddressesOf(const Work& work) const;
  // A copy or cast may: where it writes to is known of library calls alone.
  bool MayWrite(const Attributed& copy, uint64_t address) const;
  void NoteOutputs(const Work& work);
  // A call whose outputs were noted wrote there.
  bool IsOutput(uint64_t address) const { return outputs_.contains(address); }

 private:
  const TraceModel& model_;
  const Process& process_;
  const ProcessAttribution& attribution_;
  absl::flat_hash_set<uint64_t> outputs_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_LAYERS_LAYER_OPERANDS_H_
