// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/weight_places.h"

#include "analyzer/attribution/base/operand_address.h"
#include "analyzer/metrics/operands/operands.h"

namespace dltap::analyzer {

uint64_t WeightPlaces::Of(CallId id) {
  const Call& call = process_.calls[id.value()];
  const auto& meaning = meanings_.Of(id);
  for (const Operand& operand :
       OperandsOf(model_, process_, call, meaning ? &*meaning : nullptr)) {
    if (operand.use == OperandUse::kWeight) return operand.address;
  }
  return WeightAddress(model_, process_, call);
}

}  // namespace dltap::analyzer
