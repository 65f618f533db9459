// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_IDLE_FRAME_ROLES_H_
#define DLTAP_ANALYZER_METRICS_IDLE_FRAME_ROLES_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// What a thread does that is in a path of Python's frames, as far as a file of
// a known library tells.
enum class FrameRole : uint8_t {
  kNone,
  kLoader,  // makes or waits for a batch
  kAside,   // the model, its update, metrics, callbacks, logs, checkpoints
  kCount
};
inline constexpr size_t kFrameRoles = static_cast<size_t>(FrameRole::kCount);

// "torch/nn/modules/module.py", of a file of an installed package; empty: of
// the program or of Python's own library.
std::string_view InPackage(std::string_view place);

// The innermost frame that tells decides: a loader inside a callback loads.
FrameRole RoleOf(const LaunchSite& site);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_IDLE_FRAME_ROLES_H_
