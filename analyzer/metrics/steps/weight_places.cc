// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/weight_places.h"

#include "analyzer/attribution/base/operand_address.h"

namespace dltap::analyzer {

WeightPlaces::WeightPlaces(const TraceModel& model, const Process& process)
    : model_(model),
      process_(process),
      meanings_(model, process),
      streamed_(model, process) {
  bool any = false;
  for (const Range& range : process.ranges) {
    if (range.kind != RangeKind::kPython) continue;
    const auto [it, is_new] = is_module_.try_emplace(range.name);
    if (is_new) it->second = model.texts[range.name].starts_with("nn.Module: ");
    any |= it->second;
  }
  if (any) ranges_.emplace(process);
}

// No address is as large.
uint64_t WeightPlaces::ModuleOf(const Call& call) const {
  if (!ranges_) return 0;
  for (RangeId id = ranges_->InnermostAt(call.thread, call.begin_ns);
       id.known(); id = ranges_->ParentOf(id)) {
    const Range& range = process_.ranges[id.value()];
    const bool is_module =
        range.kind == RangeKind::kPython && is_module_.at(range.name);
    if (is_module) return ~uint64_t{range.name.value()};
  }
  return 0;
}

std::vector<Operand> WeightPlaces::OperandsOfCall(CallId id) {
  const auto& meaning = meanings_.Of(id);
  return OperandsOf(model_, process_, process_.calls[id.value()],
                    meaning ? &*meaning : nullptr);
}

uint64_t WeightPlaces::HomeOf(CallId id, uint64_t address) {
  if (!streamed_.IsTarget(address)) return address;
  for (const Operand& operand : OperandsOfCall(id)) {
    if (operand.address != address || operand.use == OperandUse::kWrite) {
      continue;
    }
    return streamed_.HomeOf(address, operand.bytes,
                            process_.calls[id.value()].begin_ns);
  }
  return address;
}

uint64_t WeightPlaces::NamedOf(CallId id) {
  for (const Operand& operand : OperandsOfCall(id)) {
    if (operand.use == OperandUse::kWeight) return HomeOf(id, operand.address);
  }
  return ModuleOf(process_.calls[id.value()]);
}

uint64_t WeightPlaces::Of(CallId id) {
  const uint64_t named = NamedOf(id);
  if (named != 0) return named;
  const Call& call = process_.calls[id.value()];
  return HomeOf(id, WeightAddress(model_, process_, call));
}

bool WeightPlaces::IsStreamed(CallId id) {
  const uint64_t address =
      WeightAddress(model_, process_, process_.calls[id.value()]);
  return HomeOf(id, address) != address;
}

bool WeightPlaces::AreNamed(CallId id) { return NamedOf(id) != 0; }

}  // namespace dltap::analyzer
