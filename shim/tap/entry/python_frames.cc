// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/python_frames.h"

#include <cstdlib>
#include <cstring>

#include "shim/tap/entry/loaded_objects.h"
#include "shim/tap/entry/loader_watch.h"
#include "shim/tap/entry/python_identity.h"
#include "shim/tap/entry/python_layout.h"
#include "shim/tap/entry/python_symbols.h"

namespace dltap::shim {
namespace {

uintptr_t InstructionOf(const PythonLayout& layout, uintptr_t frame) {
  if (layout.bytecode >= 0) return Own<uintptr_t>(frame, layout.instruction);
  return static_cast<uintptr_t>(Own<uint32_t>(frame, layout.instruction));
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
  bool is_free_threaded = false;
  WithLoadedObjects([&](const LoadedObjects& objects) {
    FindPythonSymbols(objects, &symbols);
    if (symbols.version == nullptr) return;
    const char* version = symbols.version();
    is_free_threaded = strstr(version, "free-threading") != nullptr;
    char* rest = nullptr;
    const auto major = static_cast<int>(strtol(version, &rest, 10));
    const auto minor =
        static_cast<int>(*rest == '.' ? strtol(rest + 1, nullptr, 10) : 0);
    reader_.layout = LayoutOfPython(major, minor);
  });
  if (symbols.code_type == 0) {
    looking_.store(0, std::memory_order_release);
    return false;
  }
  reader_.code_type = symbols.code_type;
  reader_.text_type = symbols.text_type;
  reader_.bytes_type = symbols.bytes_type;
  reader_.cell_type = symbols.cell_type;
  memcpy(&main_, &symbols.main_interpreter, sizeof(main_));
  memcpy(&newest_thread_, &symbols.newest_thread, sizeof(newest_thread_));
  memcpy(&this_thread_, &symbols.this_thread, sizeof(this_thread_));
  memcpy(&is_finalizing_, &symbols.is_finalizing, sizeof(is_finalizing_));
  if (is_free_threaded) {
    Refuse("frames of a free-threaded Python are not known");
  } else if (reader_.layout == nullptr || this_thread_ == nullptr ||
             is_finalizing_ == nullptr) {
    Refuse("frames of this version of Python are not known (3.10 to 3.14 are)");
  } else {
    state_.store(static_cast<uint32_t>(State::kFound),
                 std::memory_order_release);
  }
  return true;
}

uintptr_t PythonConnection::AskNewestThread() const {
  if (main_ == nullptr || newest_thread_ == nullptr || is_finalizing_() != 0) {
    return 0;
  }
  void* interpreter = main_();
  if (interpreter == nullptr) return 0;
  return reinterpret_cast<uintptr_t>(newest_thread_(interpreter));
}

bool PythonConnection::IsIn(const LoadedObjects& objects) const {
  const auto* code = reinterpret_cast<const void*>(reader_.code_type);
  const int at = objects.Containing(code);
  uint64_t bytes = 0;
  return at != LoadedObjects::kNone &&
         objects[at].Elf().FindVariable("PyCode_Type", &bytes) == code;
}

bool PythonConnection::IsStillThere() {
  const auto* objects = g_loader.objects.load(std::memory_order_relaxed);
  if (objects == nullptr) return true;
  const uint64_t now =
      LoadsSoFar() << 32 | objects->load(std::memory_order_relaxed);
  if (seen_.load(std::memory_order_relaxed) == now) return true;
  bool is_there = false;
  WithLoadedObjects([&](const LoadedObjects& list) { is_there = IsIn(list); });
  if (is_there) {
    seen_.store(now, std::memory_order_relaxed);
  } else {
    Refuse("the program has unloaded its Python");
  }
  return is_there;
}

uintptr_t PythonConnection::NewestThread(bool* is_gone) const {
  uintptr_t newest = 0;
  *is_gone = true;
  WithLoadedObjects([&](const LoadedObjects& objects) {
    *is_gone = !IsIn(objects);
    if (!*is_gone) newest = AskNewestThread();
  });
  return newest;
}

// Nothing of a thread's state is certain once the interpreter ends.
uintptr_t PythonConnection::FirstFrame() const {
  if (is_finalizing_() != 0) return 0;
  auto at = reinterpret_cast<uintptr_t>(this_thread_());
  if (at == 0) return 0;
  if (reader_.layout->cframe >= 0) {
    at = Own<uintptr_t>(at, reader_.layout->cframe);
    if (at == 0) return 0;
  }
  return Own<uintptr_t>(at, reader_.layout->frame);
}

// Like FirstFrame, but from memory that may not be what it is taken for.
PythonConnection::Check PythonConnection::CheckLayout(MemoryView& memory,
                                                      PythonPath* path) {
  if (is_finalizing_() != 0) return Check::kNoFrames;
  const auto thread = reinterpret_cast<uintptr_t>(this_thread_());
  if (thread == 0) return Check::kNoFrames;
  uintptr_t frame = 0;
  const bool ok = reader_.FindFrame(memory, thread, &frame, path);
  if (ok && frame == 0) return Check::kNoFrames;
  if (ok && reader_.ReadPath(memory, frame, path) &&
      reader_.LooksRight(memory, *path, 0)) {
    state_.store(static_cast<uint32_t>(State::kChecked),
                 std::memory_order_release);
  } else {
    Refuse("the frames of this Python do not look as its version says");
  }
  return Check::kDone;
}

uint64_t PythonConnection::HashPath() const {
  const PythonLayout& layout = *reader_.layout;
  const uintptr_t module_call =
      reader_.module_call.load(std::memory_order_relaxed);
  uint64_t hash = 0;
  int count = 0;
  for (uintptr_t frame = FirstFrame();
       frame != 0 && count < PythonPath::kMostFrames;
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
    if (self != 0 && Own<uintptr_t>(self, kPythonType) == reader_.cell_type) {
      self = Own<uintptr_t>(self, kPythonCellValue);
    }
    if (self != 0) {
      hash = MixPython(hash, HashClass(Own<uintptr_t>(self, kPythonType)));
    }
  }
  return count == 0 ? 0 : hash | 1;
}

bool PythonConnection::Describe(MemoryView& memory, PythonPath* path,
                                SiteDefinition* site) {
  return reader_.ReadPath(memory, FirstFrame(), path) &&
         reader_.Describe(memory, *path, 0, site);
}

}  // namespace dltap::shim
