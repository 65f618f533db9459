// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/python_frames.h"

#include <cstdlib>
#include <cstring>

#include "shim/tap/entry/loaded_objects.h"
#include "shim/tap/entry/loader_watch.h"
#include "shim/tap/entry/python_identity.h"
#include "shim/tap/entry/python_layout.h"

namespace dltap::shim {
namespace {

constexpr int kMostHashed = 256;  // frames of a path that tell it apart
constexpr uint32_t kMostTextBytes = 512;

struct PythonSymbols {
  void* this_thread = nullptr;
  void* is_finalizing = nullptr;
  const char* (*version)() = nullptr;
  uintptr_t code_type = 0;
  uintptr_t text_type = 0;
  uintptr_t bytes_type = 0;
  uintptr_t cell_type = 0;
};

void FindSymbols(const LoadedObjects& objects, PythonSymbols* out) {
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
    void* version = elf.FindFunction("Py_GetVersion");
    memcpy(&out->version, &version, sizeof(version));
    return;
  }
}

uintptr_t InstructionOf(const PythonLayout& layout, uintptr_t frame) {
  if (layout.bytecode >= 0) return Own<uintptr_t>(frame, layout.instruction);
  return static_cast<uintptr_t>(Own<uint32_t>(frame, layout.instruction));
}

bool EndsIn(const char* text, uint32_t bytes, const char* end) {
  const auto length = static_cast<uint32_t>(strlen(end));
  return bytes >= length && memcmp(text + bytes - length, end, length) == 0;
}

}  // namespace

bool PythonConnection::is_usable() const {
  return state() == State::kFound || state() == State::kChecked;
}

bool PythonConnection::IsBeingFound() const {
  return looking_.load(std::memory_order_acquire) != 0 &&
         state() == State::kNone;
}

bool PythonConnection::is_checked() const { return state() == State::kChecked; }

const char* PythonConnection::why_not() const {
  const char* why_not = why_not_.load(std::memory_order_acquire);
  return why_not != nullptr ? why_not : "";
}

void PythonConnection::Refuse(const char* why_not) {
  why_not_.store(why_not, std::memory_order_release);
  state_.store(static_cast<uint32_t>(State::kRefused),
               std::memory_order_release);
}

bool PythonConnection::Connect() {
  if (state() != State::kNone) return false;
  const uint64_t loads = g_loader.loads.load(std::memory_order_relaxed)
                             ->load(std::memory_order_relaxed) +
                         1;
  if (looked_.load(std::memory_order_relaxed) == loads) return false;
  if (looking_.exchange(1, std::memory_order_acquire) != 0) return false;
  looked_.store(loads, std::memory_order_relaxed);
  PythonSymbols symbols;
  WithLoadedObjects([&symbols](const LoadedObjects& objects) {
    FindSymbols(objects, &symbols);
  });
  if (symbols.code_type == 0) {
    looking_.store(0, std::memory_order_release);
    return false;
  }
  bool is_free_threaded = false;
  if (symbols.version != nullptr) {
    const char* version = symbols.version();
    is_free_threaded = strstr(version, "free-threading") != nullptr;
    char* rest = nullptr;
    const auto major = static_cast<int>(strtol(version, &rest, 10));
    const auto minor =
        static_cast<int>(*rest == '.' ? strtol(rest + 1, nullptr, 10) : 0);
    layout_ = LayoutOfPython(major, minor);
  }
  code_type_ = symbols.code_type;
  text_type_ = symbols.text_type;
  bytes_type_ = symbols.bytes_type;
  cell_type_ = symbols.cell_type;
  memcpy(&this_thread_, &symbols.this_thread, sizeof(this_thread_));
  memcpy(&is_finalizing_, &symbols.is_finalizing, sizeof(is_finalizing_));
  if (is_free_threaded) {
    Refuse("frames of a free-threaded Python are not known");
  } else if (layout_ == nullptr || this_thread_ == nullptr ||
             is_finalizing_ == nullptr) {
    Refuse("frames of this version of Python are not known (3.10 to 3.14 are)");
  } else {
    state_.store(static_cast<uint32_t>(State::kFound),
                 std::memory_order_release);
  }
  return true;
}

// Nothing of a thread's state is certain once the interpreter ends.
uintptr_t PythonConnection::FirstFrame() const {
  if (is_finalizing_() != 0) return 0;
  auto at = reinterpret_cast<uintptr_t>(this_thread_());
  if (at == 0) return 0;
  if (layout_->cframe >= 0) {
    at = Own<uintptr_t>(at, layout_->cframe);
    if (at == 0) return 0;
  }
  return Own<uintptr_t>(at, layout_->frame);
}

// Like FirstFrame, but from memory that may not be what it is taken for.
PythonConnection::Check PythonConnection::CheckLayout(MemoryView& memory) {
  if (is_finalizing_() != 0) return Check::kNoFrames;
  auto at = reinterpret_cast<uintptr_t>(this_thread_());
  if (at == 0) return Check::kNoFrames;
  bool ok = true;
  if (layout_->cframe >= 0) {
    ok = memory.Load(at + static_cast<uintptr_t>(layout_->cframe), &at);
  }
  ok = ok && memory.Load(at + static_cast<uintptr_t>(layout_->frame), &at);
  if (ok && at == 0) return Check::kNoFrames;
  if (ok && LooksRight(memory, at)) {
    state_.store(static_cast<uint32_t>(State::kChecked),
                 std::memory_order_release);
  } else {
    Refuse("the frames of this Python do not look as its version says");
  }
  return Check::kDone;
}

bool PythonConnection::IsCode(MemoryView& memory, uintptr_t code) const {
  const PythonLayout& layout = *layout_;
  const auto is = [&memory](uintptr_t object, uintptr_t type) {
    uintptr_t have = 0;
    return memory.Load(object + kPythonType, &have) && have == type;
  };
  const auto has = [&](int16_t member, uintptr_t type) {
    uintptr_t object = 0;
    return memory.Load(code + static_cast<uintptr_t>(member), &object) &&
           is(object, type);
  };
  return is(code, code_type_) && has(layout.name, text_type_) &&
         has(layout.filename, text_type_) &&
         has(layout.line_table, bytes_type_) &&
         (layout.qualified_name < 0 || has(layout.qualified_name, text_type_));
}

// Every frame up to the last has a code object, or none where C has called.
bool PythonConnection::LooksRight(MemoryView& memory, uintptr_t frame) {
  const PythonLayout& layout = *layout_;
  int count = 0;
  for (; frame != 0 && count < kMostHashed; ++count) {
    uintptr_t code = 0;
    uint8_t owner = 0;
    if (!memory.Load(frame + static_cast<uintptr_t>(layout.code), &code)) {
      return false;
    }
    if (layout.owner >= 0 &&
        (!memory.Load(frame + static_cast<uintptr_t>(layout.owner), &owner) ||
         owner > layout.last_owner)) {
      return false;
    }
    if (owner < kFirstFrameOfC && !IsCode(memory, Referred(layout, code))) {
      return false;
    }
    if (!memory.Load(frame + static_cast<uintptr_t>(layout.previous), &frame)) {
      return false;
    }
  }
  return count > 0;
}

uint64_t PythonConnection::HashPath() const {
  const PythonLayout& layout = *layout_;
  const uintptr_t module_call = module_call_.load(std::memory_order_relaxed);
  uint64_t hash = 0;
  int count = 0;
  for (uintptr_t frame = FirstFrame(); frame != 0 && count < kMostHashed;
       frame = Own<uintptr_t>(frame, layout.previous)) {
    if (layout.owner >= 0 &&
        Own<uint8_t>(frame, layout.owner) >= kFirstFrameOfC) {
      continue;
    }
    ++count;
    const uintptr_t code = Referred(layout, Own<uintptr_t>(frame, layout.code));
    hash =
        MixPython(hash, code * 0x9E3779B97F4A7C15u +
                            InstructionOf(layout, frame) * 0xC2B2AE3D27D4EB4Fu +
                            HashCode(layout, code));
    if (code != module_call) continue;
    uintptr_t self = Referred(layout, Own<uintptr_t>(frame, layout.locals));
    if (self != 0 && Own<uintptr_t>(self, kPythonType) == cell_type_) {
      self = Own<uintptr_t>(self, kPythonCellValue);
    }
    if (self != 0) {
      hash = MixPython(hash, HashClass(Own<uintptr_t>(self, kPythonType)));
    }
  }
  return count == 0 ? 0 : hash | 1;
}

bool PythonConnection::Describe(MemoryView& memory, SiteDefinition* site) {
  const PythonLayout& layout = *layout_;
  site->Begin(trace::SiteKind::kPython);
  int count = 0;
  uintptr_t frame = FirstFrame();
  for (; frame != 0; ++count) {
    if (site->IsFull()) {
      site->MarkTruncated();
      return true;
    }
    uintptr_t code = 0;
    uint8_t owner = 0;
    if (!memory.Load(frame + static_cast<uintptr_t>(layout.code), &code)) break;
    if (layout.owner >= 0) {
      memory.Load(frame + static_cast<uintptr_t>(layout.owner), &owner);
    }
    if (owner < kFirstFrameOfC &&
        !AddFrame(memory, frame, Referred(layout, code), site)) {
      break;
    }
    if (!memory.Load(frame + static_cast<uintptr_t>(layout.previous), &frame)) {
      break;
    }
  }
  if (frame != 0) site->MarkTruncated();
  return count > 0;
}

// The name of the class of a frame's first argument, which may be in a cell.
uint32_t PythonConnection::ClassOfSelf(MemoryView& memory, uintptr_t frame,
                                       char* out, uint32_t most) const {
  uintptr_t self = 0, type = 0, name = 0;
  if (!memory.Load(frame + static_cast<uintptr_t>(layout_->locals), &self)) {
    return 0;
  }
  self = Referred(*layout_, self);
  if (self == 0 || !memory.Load(self + kPythonType, &type)) return 0;
  if (type == cell_type_ &&
      (!memory.Load(self + kPythonCellValue, &self) || self == 0 ||
       !memory.Load(self + kPythonType, &type))) {
    return 0;
  }
  if (!memory.Load(type + kPythonTypeName, &name)) return 0;
  uint32_t bytes = 0;
  while (bytes < most && memory.Load(name + bytes, &out[bytes]) &&
         out[bytes] != '\0') {
    ++bytes;
  }
  return bytes;
}

bool PythonConnection::AddFrame(MemoryView& memory, uintptr_t frame,
                                uintptr_t code, SiteDefinition* site) {
  const PythonLayout& layout = *layout_;
  uintptr_t instruction = 0, name = 0, filename = 0;
  const size_t width = layout.bytecode >= 0 ? sizeof(instruction) : 4;
  const int16_t name_at =
      layout.qualified_name >= 0 ? layout.qualified_name : layout.name;
  if (!memory.Read(frame + static_cast<uintptr_t>(layout.instruction),
                   &instruction, width) ||
      !memory.Load(code + static_cast<uintptr_t>(name_at), &name) ||
      !memory.Load(code + static_cast<uintptr_t>(layout.filename), &filename)) {
    return false;
  }
  trace::SiteFrame out = {};
  out.line = LineOf(memory, layout, code, instruction);
  char text[kMostTextBytes];
  uint32_t bytes = ReadPythonText(memory, layout, name, text, sizeof(text));
  if (bytes != 0) out.name = site->String(text, bytes);
  const bool may_call_module = EndsIn(text, bytes, "_call_impl") &&
                               !EndsIn(text, bytes, "_wrapped_call_impl");
  bytes = ReadPythonText(memory, layout, filename, text, sizeof(text));
  if (bytes != 0) out.place = site->String(text, bytes);
  if (may_call_module && EndsIn(text, bytes, "/torch/nn/modules/module.py")) {
    module_call_.store(code, std::memory_order_relaxed);
    bytes = ClassOfSelf(memory, frame, text, sizeof(text));
    if (bytes != 0) out.detail = site->String(text, bytes);
  }
  site->Add(out);
  return true;
}

}  // namespace dltap::shim
