// SPDX-License-Identifier: Apache-2.0
// NVRTC that accepts every program: what it "compiles" is a name, which the
// simulated driver's module loading accepts as an image.
#pragma GCC visibility push(default)
#include <nvrtc.h>
#pragma GCC visibility pop

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <string>

#include "simgpu/base/api_scope.h"
#include "simgpu/base/library_versions.h"

namespace dltap::simgpu {
namespace {

// PTX text without kernels: the simulated driver makes a kernel of any name
// that is asked for; a real one finds none in it.
constexpr char kImage[] =
    "// simulated\n.version 9.0\n.target sm_75\n.address_size 64\n";
constexpr char kLog[] = "";

// Those of NVRTC 13.0's documentation.
constexpr int kArchitectures[] = {75, 80,  86,  87,  88,  89,
                                  90, 100, 103, 110, 120, 121};

struct Program {
  std::string name;
  std::map<std::string, std::string> lowered_names;
};

Program* ProgramOf(nvrtcProgram handle) {
  return reinterpret_cast<Program*>(handle);
}

template <ApiName kName, typename Body>
nvrtcResult Nvrtc(Body body) {
  ApiScope scope(FunctionOf<"nvrtc", kName>());
  if (scope.injected_error() != 0) [[unlikely]] {
    return static_cast<nvrtcResult>(scope.injected_error());
  }
  return body();
}

// The sizes and texts of what a compilation leaves.
template <ApiName kName>
nvrtcResult SizeOf(nvrtcProgram program, size_t* bytes, size_t value) {
  return Nvrtc<kName>([&] {
    if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
    if (bytes == nullptr) return NVRTC_ERROR_INVALID_INPUT;
    *bytes = value;
    return NVRTC_SUCCESS;
  });
}

template <ApiName kName, size_t kBytes>
nvrtcResult CopyOf(nvrtcProgram program, char* target,
                   const char (&source)[kBytes]) {
  return Nvrtc<kName>([&] {
    if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
    if (target == nullptr) return NVRTC_ERROR_INVALID_INPUT;
    std::memcpy(target, source, kBytes);
    return NVRTC_SUCCESS;
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: the vendor's names are global

extern "C" {

nvrtcResult nvrtcVersion(int* major, int* minor) {
  return Nvrtc<"nvrtcVersion">([&] {
    if (major == nullptr || minor == nullptr) return NVRTC_ERROR_INVALID_INPUT;
    const int version = GetLibraryVersions().cuda;
    *major = version / 1000;
    *minor = version % 1000 / 10;
    return NVRTC_SUCCESS;
  });
}

nvrtcResult nvrtcGetNumSupportedArchs(int* numArchs) {
  return Nvrtc<"nvrtcGetNumSupportedArchs">([&] {
    if (numArchs == nullptr) return NVRTC_ERROR_INVALID_INPUT;
    *numArchs = static_cast<int>(std::size(kArchitectures));
    return NVRTC_SUCCESS;
  });
}

nvrtcResult nvrtcGetSupportedArchs(int* supportedArchs) {
  return Nvrtc<"nvrtcGetSupportedArchs">([&] {
    if (supportedArchs == nullptr) return NVRTC_ERROR_INVALID_INPUT;
    std::copy(std::begin(kArchitectures), std::end(kArchitectures),
              supportedArchs);
    return NVRTC_SUCCESS;
  });
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source,
                               const char* name, int, const char* const*,
                               const char* const*) {
  return Nvrtc<"nvrtcCreateProgram">([&] {
    if (program == nullptr || source == nullptr) {
      return NVRTC_ERROR_INVALID_INPUT;
    }
    auto* made = new Program{name == nullptr ? "default_program" : name, {}};
    *program = reinterpret_cast<nvrtcProgram>(made);
    return NVRTC_SUCCESS;
  });
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  return Nvrtc<"nvrtcDestroyProgram">([&] {
    if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
    delete ProgramOf(*program);
    *program = nullptr;
    return NVRTC_SUCCESS;
  });
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int, const char* const*) {
  return Nvrtc<"nvrtcCompileProgram">([&] {
    return program == nullptr ? NVRTC_ERROR_INVALID_PROGRAM : NVRTC_SUCCESS;
  });
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char* name) {
  return Nvrtc<"nvrtcAddNameExpression">([&] {
    if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
    if (name == nullptr) return NVRTC_ERROR_INVALID_INPUT;
    ProgramOf(program)->lowered_names.emplace(name, name);
    return NVRTC_SUCCESS;
  });
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char* name,
                                const char** lowered) {
  return Nvrtc<"nvrtcGetLoweredName">([&] {
    if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
    const auto& names = ProgramOf(program)->lowered_names;
    const auto it = names.find(name);
    if (it == names.end()) return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
    *lowered = it->second.c_str();
    return NVRTC_SUCCESS;
  });
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t* bytes) {
  return SizeOf<"nvrtcGetCUBINSize">(program, bytes, sizeof kImage);
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* target) {
  return CopyOf<"nvrtcGetCUBIN">(program, target, kImage);
}
nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t* bytes) {
  return SizeOf<"nvrtcGetPTXSize">(program, bytes, sizeof kImage);
}
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char* target) {
  return CopyOf<"nvrtcGetPTX">(program, target, kImage);
}
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t* bytes) {
  return SizeOf<"nvrtcGetProgramLogSize">(program, bytes, sizeof kLog);
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* target) {
  return CopyOf<"nvrtcGetProgramLog">(program, target, kLog);
}

const char* nvrtcGetErrorString(nvrtcResult result) {
  return result == NVRTC_SUCCESS ? "NVRTC_SUCCESS" : "NVRTC_ERROR";
}

}  // extern "C"
