// SPDX-License-Identifier: Apache-2.0
#include "opmodel/gpu_table.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace dltap::opmodel {
namespace {

constexpr GpuSpec kGpus[] = {
#include "opmodel/gpu_table_rows.inc"
};

bool IsMemorySize(std::string_view word) {
  const size_t digits = word.find_first_not_of("0123456789");
  return digits != 0 && digits != std::string_view::npos &&
         word.substr(digits) == "gb";
}

// Lower case, words joined by '-', vendor prefixes dropped.
std::string Normalise(std::string_view product, bool keep_memory_size) {
  std::string lower(product);
  for (char& c : lower) {
    c = c == ' ' || c == '_' ? '-' : static_cast<char>(std::tolower(c));
  }
  std::string result;
  size_t begin = 0;
  while (begin <= lower.size()) {
    const size_t end = std::min(lower.find('-', begin), lower.size());
    const std::string_view word =
        std::string_view(lower).substr(begin, end - begin);
    const bool noise = word.empty() || word == "nvidia" || word == "amd" ||
                       (!keep_memory_size && IsMemorySize(word));
    if (!noise) result.append(word).push_back('-');
    begin = end + 1;
  }
  return result;
}

}  // namespace

double SustainedFp32(const GpuSpec& gpu) {
  return gpu.fp32_flops_per_s *
         std::min(gpu.kernel_fp32_ratio, gpu.power_fp32_ratio);
}

bool IsPowerCapped(const GpuSpec& gpu) {
  constexpr double kFarBelow = 0.75;
  return gpu.power_fp32_ratio < kFarBelow * gpu.kernel_fp32_ratio;
}

bool IsMaxwell(const GpuSpec& gpu) {
  return gpu.vendor == Vendor::kNvidia && gpu.compute_major < 6;
}

bool IsPascal(const GpuSpec& gpu) {
  return gpu.vendor == Vendor::kNvidia && gpu.compute_major == 6;
}

std::span<const GpuSpec> AllGpus() { return kGpus; }

const GpuSpec* FindGpu(std::string_view name) {
  for (const GpuSpec& gpu : kGpus) {
    if (gpu.name == name) return &gpu;
  }
  return nullptr;
}

const GpuSpec* FindGpuByProduct(std::string_view product) {
  for (const bool keep_memory_size : {true, false}) {
    const std::string wanted = Normalise(product, keep_memory_size);
    if (wanted.empty()) return nullptr;
    for (const GpuSpec& gpu : kGpus) {
      if (Normalise(gpu.product, keep_memory_size) == wanted) return &gpu;
    }
  }
  return nullptr;
}

double PeakFlopsPerS(const GpuSpec& gpu, DType math) {
  switch (math) {
    case DType::kF64:
    case DType::kC128:
      return std::max(gpu.fp64_flops_per_s, gpu.fp64_tensor_flops_per_s);
    case DType::kF32:
    case DType::kC64:
      return gpu.vendor == Vendor::kAmd
                 ? std::max(gpu.fp32_flops_per_s, gpu.tf32_flops_per_s)
                 : gpu.fp32_flops_per_s;
    case DType::kTf32: return gpu.tf32_flops_per_s;
    case DType::kF16:
      return std::max(gpu.fp16_flops_per_s, gpu.fp16_vector_flops_per_s);
    case DType::kBf16:
      return gpu.vendor == Vendor::kNvidia && gpu.compute_major < 8
                 ? 0
                 : gpu.fp16_flops_per_s;
    case DType::kF8E4M3:
    case DType::kF8E5M2: return gpu.fp8_flops_per_s;
    case DType::kF4E2M1:
      // Twice the FP8 rate, on the parts that have it at all.
      return gpu.compute_major >= 10 ? 2 * gpu.fp8_flops_per_s : 0;
    case DType::kI8:
    case DType::kU8: return gpu.int8_ops_per_s;
    case DType::kUnknown:
    case DType::kI16:
    case DType::kI32:
    case DType::kI64:
    case DType::kBool: return 0;
  }
  return 0;
}

}  // namespace dltap::opmodel
