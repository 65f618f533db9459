// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/python_symbols.h"

#include <cstring>

namespace dltap::shim {

void FindPythonSymbols(const LoadedObjects& objects, PythonSymbols* out) {
  for (int i = 0; i < objects.count(); ++i) {
    const ElfObject elf = objects[i].Elf();
    uint64_t bytes = 0;
    const void* code_type = elf.FindVariable("PyCode_Type", &bytes);
    if (code_type == nullptr) continue;
    out->code_type = reinterpret_cast<uintptr_t>(code_type);
    const auto type = [&elf, &bytes](const char* name) {
      return reinterpret_cast<uintptr_t>(elf.FindVariable(name, &bytes));
    };
    out->text_type = type("PyUnicode_Type");
    out->bytes_type = type("PyBytes_Type");
    out->cell_type = type("PyCell_Type");
    out->this_thread = elf.FindFunction("PyGILState_GetThisThreadState");
    out->is_finalizing = elf.FindFunction("_Py_IsFinalizing");
    if (out->is_finalizing == nullptr) {
      out->is_finalizing = elf.FindFunction("Py_IsFinalizing");
    }
    out->main_interpreter = elf.FindFunction("PyInterpreterState_Main");
    out->newest_thread = elf.FindFunction("PyInterpreterState_ThreadHead");
    void* version = elf.FindFunction("Py_GetVersion");
    memcpy(&out->version, &version, sizeof(version));
    return;
  }
}

}  // namespace dltap::shim
