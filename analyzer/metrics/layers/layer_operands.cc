// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/layers/layer_operands.h"

#include <array>

#include "analyzer/attribution/base/operand_address.h"

namespace dltap::analyzer {
namespace {

using opmodel::Dim;

bool IsWritten(Meaning meaning) {
  switch (meaning) {
    case Meaning::kPointerC:
    case Meaning::kPointerD:
    case Meaning::kPointerY:
    case Meaning::kPointerDx:
    case Meaning::kPointerDw: return true;
    default: return false;
  }
}

}  // namespace

std::vector<uint64_t> LayerOperands::AddressesOf(const Work& work) const {
  if (!work.call.known()) return {};
  const Call& call = process_.calls[work.call.value()];
  const EntryPoint& entry = model_.entry_points[call.entry.value()];
  const opmodel::Operation& op = attribution_.KindOf(work).leading;
  const bool batched = op.kind == opmodel::OpKind::kGemm && op[Dim::kBatch] > 1;
  if (batched) return {};  // of activations
  std::array<uint64_t, 3> found{};
  for (size_t a = 0; a < entry.args.size(); ++a) {
    const Meaning meaning = entry.args[a].meaning;
    const auto value = IntArg(entry, process_, call, a);
    if (!value || *value == 0) continue;
    const auto address = static_cast<uint64_t>(*value);
    if (meaning == Meaning::kPointerA || meaning == Meaning::kPointerW) {
      found[0] = address;
    }
    if (meaning == Meaning::kPointerB || meaning == Meaning::kPointerX) {
      found[1] = address;
    }
    if (meaning == Meaning::kPointerDy) found[2] = address;
  }
  if (found == std::array<uint64_t, 3>{}) return {};
  return {found.begin(), found.end()};
}

void LayerOperands::NoteOutputs(const Work& work) {
  if (!work.call.known()) return;
  const Call& call = process_.calls[work.call.value()];
  const EntryPoint& entry = model_.entry_points[call.entry.value()];
  for (size_t a = 0; a < entry.args.size(); ++a) {
    if (!IsWritten(entry.args[a].meaning)) continue;
    const auto value = IntArg(entry, process_, call, a);
    if (value && *value != 0) outputs_.insert(static_cast<uint64_t>(*value));
  }
}

bool LayerOperands::MayWrite(const Attributed& copy, uint64_t address) const {
  if (!copy.submitted_by.known()) return true;
  const Call& call = process_.calls[copy.submitted_by.value()];
  const uint64_t to =
      OperandAddress(model_, process_, call, Meaning::kPointerDst);
  return to == 0 || to == address;
}

}  // namespace dltap::analyzer
