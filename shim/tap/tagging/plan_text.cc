// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/plan_text.h"

#include <cstring>

#include "shim/tap/tagging/operation_table.h"

namespace dltap::shim::tagging {
namespace {

using opmodel::OpKind;

struct Word {
  const char* text;
  OpKind kind;
};

// Most specific first: the first that occurs decides.
constexpr Word kWords[] = {
    {"sdpa_bwd", OpKind::kAttentionBackward},
    {"flash_bprop", OpKind::kAttentionBackward},
    {"sdpa_fwd", OpKind::kAttentionForward},
    {"sdpa", OpKind::kAttentionForward},
    {"fmha", OpKind::kAttentionForward},
    {"dgrad", OpKind::kConvBackwardData},
    {"wgrad", OpKind::kConvBackwardWeight},
    {"ConvBwdData", OpKind::kConvBackwardData},
    {"ConvBwdFilter", OpKind::kConvBackwardWeight},
    {"fprop", OpKind::kConvForward},
    {"ConvFwd", OpKind::kConvForward},
    {"conv", OpKind::kConvForward},
    {"matmul", OpKind::kGemm},
    {"norm_bwd", OpKind::kNormBackward},
    {"norm", OpKind::kNormForward},
    {"resample", OpKind::kPoolForward},
};

bool Contains(const char* text, size_t bytes, const char* word) {
  return memmem(text, bytes, word, strlen(word)) != nullptr;
}

}  // namespace

uint32_t OperationOfPlanText(const char* text, int64_t bytes) {
  for (const Word& word : kWords) {
    if (!Contains(text, static_cast<size_t>(bytes), word.text)) continue;
    opmodel::Operation op;
    op.kind = word.kind;
    OperationEncoder encoder;
    encoder.Add(op);
    return g_operations.Intern(encoder);
  }
  return 0;
}

}  // namespace dltap::shim::tagging
