// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_DEVICE_DEFINITIONS_H_
#define DLTAP_SHIM_TAP_ENTRY_DEVICE_DEFINITIONS_H_

namespace dltap::shim {

// The collector defines the devices of the process in the trace, as soon as the
// driver can be asked. At load, once.
void CollectDeviceDefinitions();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_DEVICE_DEFINITIONS_H_
