// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/error_text.h"

#include <cctype>
#include <span>
#include <string>

#include "simgpu/base/interned_name.h"

namespace dltap::simgpu {
namespace {

struct ErrorRow {
  int code;
  const char* text;
};

constexpr ErrorRow kRuntimeRows[] = {
#include "runtime_errors.inc"
};
constexpr ErrorRow kDriverRows[] = {
#include "driver_errors.inc"
};

// Messages that frameworks and users search for.
constexpr ErrorRow kDescriptions[] = {
    {0, "no error"},
    {1, "invalid argument"},
    {2, "out of memory"},
    {3, "initialization error"},
    {34, "CUDA driver is a stub library"},
    {98, "invalid device function"},
    {100, "no CUDA-capable device is detected"},
    {101, "invalid device ordinal"},
    {201, "invalid device context"},
    {400, "invalid resource handle"},
    {500, "named symbol not found"},
    {600, "device not ready"},
    {700, "an illegal memory access was encountered"},
    {719, "unspecified launch failure"},
    {801, "operation not supported"},
    {900, "operation not permitted when stream is capturing"},
    {901, "operation failed due to a previous error during capture"},
};

const char* Find(std::span<const ErrorRow> rows, int code) {
  for (const ErrorRow& row : rows) {
    if (row.code == code) return row.text;
  }
  return nullptr;
}

// "cudaErrorInvalidPitchValue" -> "invalid pitch value"
std::string InWords(std::string name) {
  std::string words;
  constexpr std::string_view kPrefix = "cudaError";
  if (name.starts_with(kPrefix)) name.erase(0, kPrefix.size());
  for (const char letter : name) {
    if (std::isupper(static_cast<unsigned char>(letter)) && !words.empty()) {
      words += ' ';
    }
    words +=
        static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return words;
}

}  // namespace

const char* RuntimeErrorName(int code) { return Find(kRuntimeRows, code); }

const char* DriverErrorName(int code) { return Find(kDriverRows, code); }

const char* ErrorDescription(int code) {
  if (const char* text = Find(kDescriptions, code)) return text;
  const char* name = RuntimeErrorName(code);
  return name == nullptr ? nullptr : InternName(InWords(name).c_str());
}

}  // namespace dltap::simgpu
