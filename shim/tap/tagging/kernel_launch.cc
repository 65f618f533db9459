// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/kernel_launch.h"

#include "shim/tap/tagging/launch_arguments.h"
#include "shim/tap/tagging/operation_table.h"
#include "shim/tap/tagging/tagging_runtime.h"

namespace dltap::shim::hooks {
namespace {

// A program that writes token by token has another length each time: what
// libraries compute has the other half of the table.
constexpr uint32_t kMostOfLaunches = tagging::OperationTable::kEntries / 2;

[[gnu::noinline]] void NoteOperationOf(const void* kernel,
                                       const abi::dim3& grid,
                                       const void* const* arguments) {
  opmodel::Operation operation;
  if (!tagging::g_launch_arguments.Read(kernel, grid, arguments, &operation)) {
    return;
  }
  const uint32_t id = tagging::DefineOperation(operation, kMostOfLaunches);
  if (id == 0 || tagging::g_runtime.note_operation == nullptr) return;
  tagging::g_runtime.note_operation(reinterpret_cast<uint64_t>(kernel), id);
}

}  // namespace

void KernelLaunch::After(int32_t status, const void* kernel, abi::dim3 grid,
                         const void* arguments) {
  if (status != 0 || !tagging::g_launch_arguments.Has(kernel)) return;
  NoteOperationOf(kernel, grid, static_cast<const void* const*>(arguments));
}

}  // namespace dltap::shim::hooks
