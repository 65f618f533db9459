// SPDX-License-Identifier: Apache-2.0
#include "simgpu/launch/cubin_parameters.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>

namespace dltap::simgpu {
namespace {

enum Format : uint8_t { kLastWithoutBlock = 3, kBlock = 4 };
enum Attribute : uint8_t { kParameter = 0x17, kBytesOfAll = 0x19 };

struct Head {
  uint8_t format;
  uint8_t attribute;
  uint16_t value;  // or the bytes that follow
};
static_assert(sizeof(Head) == 4);

struct ParameterBlock {
  uint32_t index;
  uint16_t ordinal;
  uint16_t offset;
  uint32_t bytes_and_place;
};
static_assert(sizeof(ParameterBlock) == 12);
constexpr int kPlaceBits = 18;

struct Told {
  std::map<uint16_t, KernelParameter> by_ordinal;
  size_t bytes_of_all = 0;
};

template <typename T>
T ReadFrom(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

bool ReadAll(std::string_view section, Told& told) {
  while (!section.empty()) {
    if (section.size() < sizeof(Head)) return false;
    const auto head = ReadFrom<Head>(section);
    section.remove_prefix(sizeof(Head));
    if (head.format == 0 || head.format > kBlock) return false;
    if (head.attribute == kBytesOfAll) told.bytes_of_all = head.value;
    if (head.format <= kLastWithoutBlock) continue;
    if (section.size() < head.value) return false;
    if (head.attribute == kParameter) {
      if (head.value != sizeof(ParameterBlock)) return false;
      const auto block = ReadFrom<ParameterBlock>(section);
      const KernelParameter parameter{block.offset,
                                      block.bytes_and_place >> kPlaceBits};
      if (!told.by_ordinal.emplace(block.ordinal, parameter).second) {
        return false;
      }
    }
    section.remove_prefix(head.value);
  }
  return true;
}

}  // namespace

std::optional<std::vector<KernelParameter>> ReadCubinParameters(
    std::string_view section) {
  Told told;
  if (!ReadAll(section, told)) return std::nullopt;
  std::vector<KernelParameter> parameters;
  size_t end = 0;
  for (const auto& [ordinal, parameter] : told.by_ordinal) {
    const bool in_order = ordinal == parameters.size() &&
                          parameter.offset >= end && parameter.bytes > 0;
    if (!in_order) return std::nullopt;
    end = parameter.offset + parameter.bytes;
    parameters.push_back(parameter);
  }
  // Both tell the same, or one is not what it is taken for.
  if (end != told.bytes_of_all) return std::nullopt;
  return parameters;
}

}  // namespace dltap::simgpu
