// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/depthwise_arguments.h"

#include <cstring>

#include "shim/tap/tagging/mangled_name.h"

namespace dltap::shim::tagging {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::Operation;
using opmodel::OpKind;

// Which argument is what, from 0. The input's width begins a row of six: of
// input, output and filter, each width before height.
struct Layout {
  const char* name;
  OpKind kind;
  size_t ints;   // the last arguments are as many integers
  int elements;  // of the tensor that is written; -1: the batch is told instead
  int batch;
  int channels_in;  // -1: those of the output over the multiplier
  int channels_out;
  int multiplier;
  int input_width;
};
constexpr Layout kLayouts[] = {
    {"conv_depthwise2d_forward_kernel", OpKind::kConvForward, 14, 5, -1, -1, 6,
     7, 8},
    {"conv_depthwise2d_forward_kernel_generic", OpKind::kConvForward, 14, 5, -1,
     -1, 6, 7, 8},
    {"conv_depthwise2d_backward_kernel", OpKind::kConvBackwardData, 15, 3, -1,
     4, 6, 5, 7},
    {"conv_depthwise2d_grad_weight_kernel", OpKind::kConvBackwardWeight, 16, -1,
     3, 4, 5, 6, 7}};

size_t IntsAtEnd(const char* name) {
  const char* const end = name + strlen(name);
  const char* at = end;
  while (at > name && at[-1] == 'i') --at;
  return static_cast<size_t>(end - at);
}

struct Types {
  DType element = DType::kUnknown;  // unknown: other ones
  bool is_wide = false;             // elements are counted in 64 bits
};

// "I" "Li3E".. type index: the kernel's template arguments.
Types TypesOf(const char* at) {
  if (!Skip(at, "I")) return {};
  while (Skip(at, "Li")) {
    TakeNumber(at);
    if (!Skip(at, "E")) return {};
  }
  const DType element = TakeElementType(at);
  if (*at == 'l' || *at == 'm') return {element, true};
  return *at == 'i' || *at == 'j' ? Types{element, false} : Types{};
}

class Arguments {
 public:
  explicit Arguments(const void* const* at) : at_(at) {}

  bool Has(int count) const {
    for (int i = 0; i < count; ++i) {
      if (at_[i] == nullptr) return false;
    }
    return true;
  }
  int64_t Int(int i) const { return Load<int32_t>(i); }
  int64_t Wide(int i) const { return Load<int64_t>(i); }

 private:
  template <typename T>
  T Load(int i) const {
    T value;
    memcpy(&value, at_[i], sizeof(value));
    return value;
  }

  const void* const* at_;
};

constexpr Dim kSides[] = {Dim::kWidthIn,     Dim::kHeightIn,
                          Dim::kWidthOut,    Dim::kHeightOut,
                          Dim::kFilterWidth, Dim::kFilterHeight};
constexpr int kSideCount = 6;
constexpr int64_t kMost = 1 << 20;  // so that products fit

bool IsIn(int64_t value) { return value > 0 && value <= kMost; }

// The elements of one image of the tensor that is written.
int64_t ImageOf(OpKind kind, const Operation& op) {
  return kind == OpKind::kConvForward
             ? op[Dim::kChannelsOut] * op[Dim::kWidthOut] * op[Dim::kHeightOut]
             : op[Dim::kChannelsIn] * op[Dim::kWidthIn] * op[Dim::kHeightIn];
}

// 0: not told.
int64_t BatchOf(const Layout& layout, bool is_wide, const Arguments& arguments,
                const Operation& op) {
  if (layout.elements < 0) return arguments.Int(layout.batch);
  const int64_t elements = is_wide ? arguments.Wide(layout.elements)
                                   : arguments.Int(layout.elements);
  const int64_t image = ImageOf(layout.kind, op);
  return elements % image == 0 ? elements / image : 0;
}

}  // namespace

NamedLayout DepthwiseOfName(const char* name) {
  const char* at = name;
  if (!Skip(at, "_ZN2at6native")) return {};
  if (!TakeIdentifier(at).BeginsWith("_GLOBAL__N_")) return {};
  const Identifier kernel = TakeIdentifier(at);
  if (!kernel.BeginsWith("conv_depthwise2d_")) return {};
  for (uint32_t i = 0; i < sizeof(kLayouts) / sizeof(kLayouts[0]); ++i) {
    if (!kernel.Is(kLayouts[i].name)) continue;
    const Types types = TypesOf(at);
    // Another signature has its arguments elsewhere.
    const bool is_known =
        types.element != DType::kUnknown && IntsAtEnd(at) == kLayouts[i].ints;
    if (!is_known) return {};
    return LayoutOf(ArgumentReader::kDepthwise, i, kLayouts[i].kind,
                    types.element, types.is_wide);
  }
  return {};
}

bool ReadDepthwise(const NamedLayout& named, const void* const* arguments,
                   opmodel::Operation* out) {
  const Layout& layout = kLayouts[named.layout];
  const Arguments of_launch(arguments);
  if (!of_launch.Has(layout.input_width + kSideCount)) return false;
  Operation& op = *out;
  for (int i = 0; i < kSideCount; ++i) {
    op[kSides[i]] = of_launch.Int(layout.input_width + i);
    if (!IsIn(op[kSides[i]])) return false;
  }
  const int64_t channels = of_launch.Int(layout.channels_out);
  const int64_t multiplier = of_launch.Int(layout.multiplier);
  if (!IsIn(channels) || !IsIn(multiplier) || channels % multiplier != 0) {
    return false;
  }
  op[Dim::kChannelsOut] = channels;
  op[Dim::kChannelsIn] = op[Dim::kGroups] = channels / multiplier;
  if (layout.channels_in >= 0 &&
      of_launch.Int(layout.channels_in) != op[Dim::kChannelsIn]) {
    return false;
  }
  op[Dim::kBatch] = BatchOf(layout, named.flag != 0, of_launch, op);
  if (op[Dim::kBatch] <= 0) return false;
  op.kind = named.kind();
  op.storage = op.math = named.dtype();
  return true;
}

}  // namespace dltap::shim::tagging
