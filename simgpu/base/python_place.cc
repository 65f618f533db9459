// SPDX-License-Identifier: Apache-2.0
// By the interpreter's own functions (CPython 3.9 and newer, "Python/C API
// Reference Manual"), which are there only if the process has one.
#include "simgpu/base/python_place.h"

#include <dlfcn.h>

#include <optional>
#include <string_view>

namespace dltap::simgpu {
namespace {

struct Object;  // PyObject, PyFrameObject, PyCodeObject

struct Interpreter {
  int (*is_initialized)();
  int (*is_finalizing)();
  void* (*thread_state)();
  int (*lock)();
  void (*unlock)(int state);
  Object* (*frame)();  // borrowed
  Object* (*back)(Object* frame);
  Object* (*code)(Object* frame);
  int (*line)(Object* frame);
  Object* (*attribute)(Object* object, const char* name);
  const char* (*text)(Object* string);
  void (*release)(Object* object);
  void (*retain)(Object* object);
};

template <typename Function>
bool Find(const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  return *function != nullptr;
}

std::optional<Interpreter> FindInterpreter() {
  Interpreter found;
  const bool all = Find("Py_IsInitialized", &found.is_initialized) &&
                   (Find("Py_IsFinalizing", &found.is_finalizing) ||
                    Find("_Py_IsFinalizing", &found.is_finalizing)) &&
                   Find("PyGILState_GetThisThreadState", &found.thread_state) &&
                   Find("PyGILState_Ensure", &found.lock) &&
                   Find("PyGILState_Release", &found.unlock) &&
                   Find("PyEval_GetFrame", &found.frame) &&
                   Find("PyFrame_GetBack", &found.back) &&
                   Find("PyFrame_GetCode", &found.code) &&
                   Find("PyFrame_GetLineNumber", &found.line) &&
                   Find("PyObject_GetAttrString", &found.attribute) &&
                   Find("PyUnicode_AsUTF8", &found.text) &&
                   Find("Py_DecRef", &found.release) &&
                   Find("Py_IncRef", &found.retain);
  return all ? std::optional(found) : std::nullopt;
}

std::string FileOf(const Interpreter& python, Object* frame) {
  Object* code = python.code(frame);
  Object* name = python.attribute(code, "co_filename");
  std::string file;
  if (name != nullptr) {
    if (const char* text = python.text(name)) file = text;
    python.release(name);
  }
  python.release(code);
  return file;
}

bool IsInstalled(std::string_view file) {
  return file.find("/site-packages/") != std::string_view::npos ||
         file.find("/dist-packages/") != std::string_view::npos ||
         file.starts_with("<frozen");
}

std::string PlaceOf(const Interpreter& python, Object* frame,
                    std::string_view file) {
  return std::string(file.substr(file.rfind('/') + 1)) + ":" +
         std::to_string(python.line(frame));
}

// REQUIRES: the interpreter's lock.
std::string FindPlace(const Interpreter& python) {
  Object* frame = python.frame();
  if (frame == nullptr) return "";
  python.retain(frame);
  std::string innermost;
  while (frame != nullptr) {
    const std::string file = FileOf(python, frame);
    const std::string place = PlaceOf(python, frame, file);
    if (innermost.empty()) innermost = place;
    Object* outer = IsInstalled(file) ? python.back(frame) : nullptr;
    python.release(frame);
    if (!IsInstalled(file)) return place;
    frame = outer;
  }
  return innermost;
}

}  // namespace

std::string PythonPlace() {
  static const std::optional<Interpreter> python = FindInterpreter();
  if (!python || python->is_initialized() == 0 ||
      python->is_finalizing() != 0 || python->thread_state() == nullptr) {
    return "";
  }
  const int state = python->lock();
  std::string place = FindPlace(*python);
  python->unlock(state);
  return place;
}

}  // namespace dltap::simgpu
