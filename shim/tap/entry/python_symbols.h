// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_PYTHON_SYMBOLS_H_
#define DLTAP_SHIM_TAP_ENTRY_PYTHON_SYMBOLS_H_

#include <cstdint>

#include "shim/tap/entry/loaded_objects.h"

namespace dltap::shim {

// What an interpreter exports, or null.
struct PythonSymbols {
  void* this_thread = nullptr;
  void* is_finalizing = nullptr;
  void* main_interpreter = nullptr;
  void* newest_thread = nullptr;  // of an interpreter
  const char* (*version)() = nullptr;
  uintptr_t code_type = 0;
  uintptr_t text_type = 0;
  uintptr_t bytes_type = 0;
  uintptr_t cell_type = 0;
};

// Of the first object that is one: without it, `code_type` stays 0.
void FindPythonSymbols(const LoadedObjects& objects, PythonSymbols* out);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_PYTHON_SYMBOLS_H_
