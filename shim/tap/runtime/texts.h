// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_TEXTS_H_
#define DLTAP_SHIM_TAP_RUNTIME_TEXTS_H_

#include <cstdint>
#include <span>

namespace dltap::shim {

// Defines a text in the trace. Returns its id, 0 when it could not be written.
// Any thread; commits to the ring file's definition area.
uint32_t DefineText(const char* text, uint32_t length);
// The same, but what could not be written is no loss: it will come again.
uint32_t TryDefineText(const char* text, uint32_t length);

// Defines that launches of `function` run the kernel of that name.
bool DefineKernelFunction(uint64_t function, const char* name, uint32_t length);

// Commits the operation; `nodes` are encoded as FORMAT.md says.
bool DefineOperation(uint32_t id, uint16_t node_count,
                     std::span<const uint8_t> nodes);

// A text by its content, defined once: for texts that repeat, such as ranges.
// Lock-free lookup of what is known; 0 when it could not be written. Texts
// longer than kMaxTextBytes are cut, counted.
inline constexpr uint32_t kMaxTextBytes = 4096;
uint32_t InternText(const char* text, uint32_t length);
// Much was defined of late that is not written yet: what can wait, should.
bool TextsCrowd();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_TEXTS_H_
