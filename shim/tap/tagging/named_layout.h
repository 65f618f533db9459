// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_NAMED_LAYOUT_H_
#define DLTAP_SHIM_TAP_TAGGING_NAMED_LAYOUT_H_

#include <cstdint>

#include "opmodel/operation.h"

namespace dltap::shim::tagging {

// Who reads the arguments of a kernel's launches.
enum class ArgumentReader : uint8_t { kNone, kAttention, kDepthwise };

// What a kernel's name tells of its arguments. As a word: PointerMap keeps it.
struct NamedLayout {
  ArgumentReader reader = ArgumentReader::kNone;
  uint8_t layout = 0;  // into the reader's table
  uint8_t type = 0;    // an opmodel::DType, of the elements
  uint8_t flag = 0;    // what else the reader knows: 0 or 1
  uint32_t op_kind = 0;

  opmodel::DType dtype() const { return static_cast<opmodel::DType>(type); }
  opmodel::OpKind kind() const { return static_cast<opmodel::OpKind>(op_kind); }
};
static_assert(sizeof(NamedLayout) == sizeof(uint64_t));

inline NamedLayout LayoutOf(ArgumentReader reader, uint32_t layout,
                            opmodel::OpKind kind, opmodel::DType type,
                            bool flag) {
  return {reader, static_cast<uint8_t>(layout), static_cast<uint8_t>(type),
          static_cast<uint8_t>(flag ? 1 : 0), static_cast<uint32_t>(kind)};
}

}  // namespace dltap::shim::tagging

#endif  // DLTAP_SHIM_TAP_TAGGING_NAMED_LAYOUT_H_
