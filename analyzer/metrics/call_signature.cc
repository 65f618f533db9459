// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/call_signature.h"

#include <algorithm>
#include <tuple>

#include "absl/container/flat_hash_map.h"

namespace dltap::analyzer {

std::vector<CallToken> CallTokens(const Process& process,
                                  const ProcessAttribution& attribution) {
  // Entry point, kernel, layer class: what a call is, without its sizes,
  // since a step may meet another sequence length.
  using Signature = std::tuple<size_t, size_t, LayerClass>;
  absl::flat_hash_map<Signature, uint32_t> signatures;
  std::vector<CallToken> tokens;
  absl::flat_hash_map<size_t, size_t> token_of_call;
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const Attributed& activity = attribution.activities[i];
    if (!activity.submitted_by.known()) continue;
    const size_t call_index = activity.submitted_by.value();
    const Call& call = process.calls[call_index];
    const auto [it, is_new] =
        token_of_call.try_emplace(call_index, tokens.size());
    if (is_new) {
      const TextId name =
          call.function.known() ? call.function : process.activities[i].name;
      const Signature signature(call.entry.value(), name.value(),
                                activity.layer_class);
      const auto id = signatures.try_emplace(signature, signatures.size());
      tokens.push_back(
          {id.first->second, call.begin_ns, call.end_ns, false, false, false});
    }
    CallToken& token = tokens[it->second];
    token.computes |= !IsCopyOrMemset(activity.layer_class);
    token.update |= activity.direction == Direction::kUpdate;
    token.autotune |= activity.autotune;
  }
  std::stable_sort(tokens.begin(), tokens.end(),
                   [](const CallToken& a, const CallToken& b) {
                     return a.begin_ns < b.begin_ns;
                   });
  return tokens;
}

}  // namespace dltap::analyzer
