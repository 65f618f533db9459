// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_PYTHON_LAYOUT_H_
#define DLTAP_SHIM_TAP_ENTRY_PYTHON_LAYOUT_H_

#include <cstddef>
#include <cstdint>

#include "shim/tap/entry/memory_view.h"
#include "shim/tap/entry/site_definition.h"

namespace dltap::shim {

// Where CPython keeps what a frame says, by version: offsets of members in the
// structures of Include/cpython/{pystate,code,frameobject,unicodeobject}.h and
// Include/internal/pycore_frame.h of that version, 64 bits, without
// Py_TRACE_REFS. -1: it has no such member.
struct PythonLayout {
  int major, minor;
  int16_t cframe;   // PyThreadState: to what holds the innermost frame
  int16_t frame;    // in that, or in PyThreadState
  int16_t thread;   // PyThreadState: the kernel's id of its thread, or
  bool by_pthread;  // what the C library calls it
  // A frame: _PyInterpreterFrame, in 3.10 PyFrameObject.
  int16_t code;
  int16_t previous;
  int16_t instruction;
  int16_t owner;
  int16_t locals;
  // Whose frames there are: FRAME_OWNED_BY_*, and bits of a reference to an
  // object that are no part of its address.
  uint8_t last_owner;
  uint8_t tag;
  // PyCodeObject.
  int16_t filename;
  int16_t name;
  int16_t qualified_name;
  int16_t line_table;
  int16_t first_line;
  int16_t bytecode;  // -1: `instruction` is an index, not an address
  // Sizes of PyASCIIObject and PyCompactUnicodeObject.
  int16_t ascii_bytes;
  int16_t compact_bytes;
};

// PyThreadState: the next older one of the interpreter.
inline constexpr uintptr_t kPythonOlder = 8;
inline constexpr uintptr_t kPythonType = 8;        // PyObject::ob_type
inline constexpr uintptr_t kPythonSize = 16;       // PyVarObject::ob_size
inline constexpr uintptr_t kPythonTypeName = 24;   // PyTypeObject::tp_name
inline constexpr uintptr_t kPythonCellValue = 16;  // PyCellObject::ob_ref
inline constexpr uintptr_t kPythonBytes = 32;      // PyBytesObject::ob_sval
inline constexpr int16_t kPythonTextLength = 16;   // PyASCIIObject
inline constexpr int16_t kPythonTextState = 32;
// FRAME_OWNED_BY_CSTACK from 3.12 on; in 3.14 the interpreter's own and C's.
inline constexpr uint8_t kFirstFrameOfC = 3;
// How much of each holds what is read of most.
inline constexpr size_t kPythonThreadBytes = 184;
inline constexpr size_t kPythonFrameBytes = 104;

// nullptr: not known.
const PythonLayout* LayoutOfPython(int major, int minor);

// What a frame refers to, as its code or a local variable.
inline uintptr_t Referred(const PythonLayout& layout, uintptr_t reference) {
  return reference & ~uintptr_t{layout.tag};
}

// The line of an instruction of a code object; 0: it has none, or cannot be
// read.
uint32_t LineOf(MemoryView& memory, const PythonLayout& layout, uintptr_t code,
                uintptr_t instruction);

// Where a str of that length and state has its characters, and how wide they
// are; 0: it is not one whose characters lie in it.
struct PythonText {
  uintptr_t at;
  uint64_t length;
  uint32_t width;
  uint32_t utf8_width;  // at most

  // As many characters of its end as that many bytes of UTF-8 surely hold.
  PythonText End(uint64_t bytes) const;
};
PythonText TextOf(const PythonLayout& layout, uintptr_t object, uint64_t length,
                  uint32_t state);

// Of a str. False: it cannot be read.
bool LoadPythonText(MemoryView& memory, const PythonLayout& layout,
                    uintptr_t object, PythonText* text);

// As UTF-8, cut to `most` bytes. Returns the bytes.
uint32_t ReadPythonText(MemoryView& memory, const PythonText& text, char* out,
                        uint32_t most);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_PYTHON_LAYOUT_H_
