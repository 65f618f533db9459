// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/weight_places.h"

#include "analyzer/attribution/base/operand_address.h"
#include "analyzer/metrics/operands/operands.h"

namespace dltap::analyzer {

uint64_t WeightPlaces::NamedOf(CallId id) {
  const auto& meaning = meanings_.Of(id);
  for (const Operand& operand :
       OperandsOf(model_, process_, process_.calls[id.value()],
                  meaning ? &*meaning : nullptr)) {
    if (operand.use == OperandUse::kWeight) return operand.address;
  }
  return 0;
}

uint64_t WeightPlaces::Of(CallId id) {
  const uint64_t named = NamedOf(id);
  return named != 0
             ? named
             : WeightAddress(model_, process_, process_.calls[id.value()]);
}

bool WeightPlaces::AreNamed(CallId id) { return NamedOf(id) != 0; }

}  // namespace dltap::analyzer
