// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/python_reader.h"

#include <cstring>

#include "shim/tap/entry/python_identity.h"

namespace dltap::shim {
namespace {

constexpr uint32_t kMostTextBytes = 512;

bool EndsIn(const char* text, uint32_t bytes, const char* end) {
  const auto length = static_cast<uint32_t>(strlen(end));
  return bytes >= length && memcmp(text + bytes - length, end, length) == 0;
}

uintptr_t At(uintptr_t object, int16_t member) {
  return object + static_cast<uintptr_t>(member);
}

}  // namespace

int StablePart(const PythonPath& before, const PythonPath& after) {
  int first = after.count;
  for (int i = before.count; i > 0 && first > 0; --i) {
    const PythonPath::Frame& was = before.frames[i - 1];
    const PythonPath::Frame& is = after.frames[first - 1];
    if (was.frame != is.frame || was.code != is.code) break;
    --first;
    // One that has gone on is the innermost that stayed.
    if (was.instruction != is.instruction) break;
  }
  return first;
}

void PathCopies::Take(bool was_read, const PythonPath& before,
                      PythonPath* path) {
  int both = was_read ? path->count : 0;
  if (was_read && count_ > 1) both -= StablePart(before, *path);
  if (both == 0) {
    ++torn_;
    const bool is_cut = !was_read || path->count < before.count;
    if (is_cut) *path = before;
    return;
  }
  if (count_ > 1 && both < stayed_) stayed_ = both;
  ++count_;
}

bool PythonReader::FindFrame(MemoryView& memory, uintptr_t thread_state,
                             uintptr_t* frame, PythonPath* path) const {
  uintptr_t at = thread_state;
  if (layout->cframe >= 0 && !memory.Load(At(at, layout->cframe), &at)) {
    return false;
  }
  path->thread_state = thread_state;
  path->innermost_at = At(at, layout->frame);
  return memory.Load(path->innermost_at, frame);
}

bool PythonReader::IsCode(MemoryView& memory, uintptr_t code) const {
  const auto is = [&memory](uintptr_t object, uintptr_t type) {
    uintptr_t have = 0;
    return memory.Load(object + kPythonType, &have) && have == type;
  };
  const auto has = [&](int16_t member, uintptr_t type) {
    uintptr_t object = 0;
    return memory.Load(At(code, member), &object) && is(object, type);
  };
  return is(code, code_type) && has(layout->name, text_type) &&
         has(layout->filename, text_type) &&
         has(layout->line_table, bytes_type) &&
         (layout->qualified_name < 0 || has(layout->qualified_name, text_type));
}

bool PythonReader::ReadPath(MemoryView& memory, uintptr_t frame,
                            PythonPath* path) const {
  path->count = 0;
  path->goes_on = false;
  const size_t width = layout->bytecode >= 0 ? sizeof(uintptr_t) : 4;
  for (int seen = 0; frame != 0; ++seen) {
    if (seen == 2 * PythonPath::kMostFrames ||
        path->count == PythonPath::kMostFrames) {
      path->goes_on = true;
      return true;
    }
    PythonPath::Frame& out = path->frames[path->count];
    out = {frame, 0, 0};
    uint8_t owner = 0;
    if (layout->owner >= 0 && (!memory.Load(At(frame, layout->owner), &owner) ||
                               owner > layout->last_owner)) {
      return false;
    }
    if (owner < kFirstFrameOfC) {
      if (!memory.Load(At(frame, layout->code), &out.code) ||
          !memory.Read(At(frame, layout->instruction), &out.instruction,
                       width)) {
        return false;
      }
      out.code = Referred(*layout, out.code);
      ++path->count;
    }
    if (!memory.Load(At(frame, layout->previous), &frame)) return false;
  }
  return path->count > 0;
}

void PythonReader::FetchFrames(MemoryView& memory, const PythonPath& path,
                               bool inwards) const {
  const auto want_thread = [&] {
    memory.Want(path.thread_state, kPythonThreadBytes);
    memory.Want(path.innermost_at, sizeof(uintptr_t));
  };
  if (!inwards) want_thread();
  for (int i = 0; i < path.count; ++i) {
    const int place = inwards ? path.count - 1 - i : i;
    memory.Want(path.frames[place].frame, kPythonFrameBytes);
  }
  if (inwards) want_thread();
  memory.Fetch();
}

bool PythonReader::LooksRight(MemoryView& memory, const PythonPath& path,
                              int first) const {
  for (int i = first; i < path.count; ++i) {
    if (!IsCode(memory, path.frames[i].code)) return false;
  }
  return path.count > first;
}

// Of the characters as they lie there. False: it is no str, or an empty one.
bool PythonReader::MixText(MemoryView& memory, const PythonText& text,
                           uint64_t* hash) const {
  uint64_t words[kMostTextBytes / sizeof(uint64_t)] = {};
  const uint64_t most = text.width != 0 ? sizeof(words) / text.width : 0;
  const uint64_t bytes = text.width * (text.length < most ? text.length : most);
  if (bytes == 0 || !memory.Read(text.at, words, bytes)) return false;
  *hash = MixPython(*hash, text.length);
  for (uint64_t i = 0; i * sizeof(uint64_t) < bytes; ++i) {
    *hash = MixPython(*hash, words[i]);
  }
  return true;
}

// What code says of itself. Of a file's name the end tells more.
bool PythonReader::LoadTexts(MemoryView& memory, uintptr_t code,
                             PythonText* name, PythonText* file) const {
  const int16_t name_at =
      layout->qualified_name >= 0 ? layout->qualified_name : layout->name;
  uintptr_t name_str = 0, file_str = 0;
  if (!memory.Load(At(code, name_at), &name_str) ||
      !memory.Load(At(code, layout->filename), &file_str)) {
    return false;
  }
  if (!LoadPythonText(memory, *layout, name_str, name)) *name = {};
  if (!LoadPythonText(memory, *layout, file_str, file)) *file = {};
  *file = file->End(kMostTextBytes);
  return true;
}

bool PythonReader::MixFrame(MemoryView& memory, const PythonPath::Frame& frame,
                            uint64_t* hash) const {
  uintptr_t type = 0;
  PythonText name = {}, file = {};
  int32_t line = 0;
  if (!memory.Load(frame.code + kPythonType, &type) || type != code_type ||
      !memory.Load(At(frame.code, layout->first_line), &line) ||
      !LoadTexts(memory, frame.code, &name, &file)) {
    return false;
  }
  *hash = MixPython(MixPython(*hash, frame.code), static_cast<uint32_t>(line));
  // Code without a name is no code.
  if (!MixText(memory, name, hash)) return false;
  MixText(memory, file, hash);
  if (frame.code == module_call.load(std::memory_order_relaxed)) {
    char text[kMostTextBytes];
    const uint32_t bytes = ClassOfSelf(memory, frame.frame, text, sizeof(text));
    for (uint32_t i = 0; i < bytes; ++i) {
      *hash = MixPython(*hash, static_cast<uint8_t>(text[i]));
    }
  }
  return true;
}

uint64_t PythonReader::HashPath(MemoryView& memory, const PythonPath& path,
                                int first) const {
  uint64_t hash = 0;
  for (int i = path.count; i-- > first;) {
    if (!MixFrame(memory, path.frames[i], &hash)) return 0;
    if (i > first) hash = MixPython(hash, path.frames[i].instruction);
  }
  return hash | 1;
}

uint32_t PythonReader::Line(MemoryView& memory,
                            const PythonPath::Frame& frame) const {
  return LineOf(memory, *layout, frame.code, frame.instruction);
}

bool PythonReader::Describe(MemoryView& memory, const PythonPath& path,
                            int first, SiteDefinition* site) {
  site->Begin(trace::SiteKind::kPython);
  for (int i = first; i < path.count; ++i) {
    if (site->IsFull()) {
      site->MarkTruncated();
      return true;
    }
    if (!AddFrame(memory, path.frames[i], site)) {
      site->MarkTruncated();
      return i > first;
    }
  }
  if (path.goes_on) site->MarkTruncated();
  return path.count > first;
}

// The name of the class of a frame's first argument, which may be in a cell.
uint32_t PythonReader::ClassOfSelf(MemoryView& memory, uintptr_t frame,
                                   char* out, uint32_t most) const {
  uintptr_t self = 0, type = 0, name = 0;
  if (!memory.Load(At(frame, layout->locals), &self)) {
    return 0;
  }
  self = Referred(*layout, self);
  if (self == 0 || !memory.Load(self + kPythonType, &type)) return 0;
  if (type == cell_type &&
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

bool PythonReader::AddFrame(MemoryView& memory, const PythonPath::Frame& frame,
                            SiteDefinition* site) {
  PythonText name = {}, file = {};
  if (!LoadTexts(memory, frame.code, &name, &file)) return false;
  trace::SiteFrame out = {};
  out.line = Line(memory, frame);
  char text[kMostTextBytes];
  uint32_t bytes = ReadPythonText(memory, name, text, sizeof(text));
  if (bytes != 0) out.name = site->String(text, bytes);
  const bool may_call_module = EndsIn(text, bytes, "_call_impl") &&
                               !EndsIn(text, bytes, "_wrapped_call_impl");
  bytes = ReadPythonText(memory, file, text, sizeof(text));
  if (bytes != 0) out.place = site->String(text, bytes);
  if (may_call_module && EndsIn(text, bytes, "/torch/nn/modules/module.py")) {
    module_call.store(frame.code, std::memory_order_relaxed);
    bytes = ClassOfSelf(memory, frame.frame, text, sizeof(text));
    if (bytes != 0) out.detail = site->String(text, bytes);
  }
  site->Add(out);
  return true;
}

}  // namespace dltap::shim
