// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/attention_arguments.h"

#include <cstring>

#include "shim/tap/tagging/mangled_name.h"

namespace dltap::shim::tagging {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::Operation;
using opmodel::OpKind;

// Where a kernel's parameters have what attention is, in bytes. -1: nowhere.
struct Layout {
  int16_t batch;
  int16_t heads;
  int16_t kv_heads = -1;
  int16_t queries;
  int16_t keys;
  int16_t head_dim;
  int16_t head_dim_v = -1;
  int16_t mask = -1;    // u8: 0 none, 1 and 2 causal
  int16_t window = -1;  // i32: keys that a query sees; 0: all
  // Pointers to lengths that differ within the batch; 0: no more.
  int16_t lengths[4];
};

// FlashAttention 2.3 to 2.8 (csrc/flash_attn/src/flash.h, Flash_fwd_params),
// PyTorch's copy of it alike; the backward pass has more behind. Then
// memory-efficient attention of PyTorch 2.x and xFormers
// (mem_eff_attention/kernel_forward.h and kernel_backward.h, Params).
constexpr Layout kLayouts[] = {{.batch = 176,
                                .heads = 96,
                                .kv_heads = 100,
                                .queries = 180,
                                .keys = 184,
                                .head_dim = 192,
                                .lengths = {224, 232, 240, 248}},
                               {.batch = 192,
                                .heads = 196,
                                .queries = 104,
                                .keys = 108,
                                .head_dim = 96,
                                .head_dim_v = 100,
                                .mask = 116,
                                .window = 88,
                                .lengths = {32, 40, 48}},
                               {.batch = 376,
                                .heads = 160,
                                .queries = 152,
                                .keys = 156,
                                .head_dim = 144,
                                .head_dim_v = 148,
                                .mask = 164,
                                .window = 136,
                                .lengths = {64, 72}}};
constexpr uint32_t kFlash = 0;  // into kLayouts
constexpr uint32_t kMemEfficientForward = 1;
constexpr uint32_t kMemEfficientBackward = 2;

// `is_causal`: by the name.
NamedLayout Named(uint32_t layout, OpKind kind, DType type, bool is_causal) {
  return LayoutOf(ArgumentReader::kAttention, layout, kind, type, is_causal);
}

constexpr int kMostFlags = 8;

// The flags that follow the traits among a kernel's template arguments, "Lb0E"
// or "Lb1E" each: the last ones that stand in a row. Returns how many.
int FlagsOf(const char* name, bool (&flags)[kMostFlags]) {
  int count = 0;
  const char* end = nullptr;
  for (const char* at = strstr(name, "Lb"); at != nullptr;
       at = strstr(at, "Lb")) {
    if ((at[2] != '0' && at[2] != '1') || at[3] != 'E') {
      at += 2;
      continue;
    }
    if (at != end) count = 0;
    if (count < kMostFlags) flags[count] = at[2] == '1';
    ++count;
    at += 4;
    end = at;
  }
  return count;
}

struct FlashName {
  const char* name;  // mangled, with the begin of its template arguments
  OpKind kind;
  int causal;  // which flag; that of a window follows
  // All that the kernel gets: beside it in its namespace, or in none.
  const char* parameters[2];
};
constexpr FlashName kFlashNames[] = {
    {"16flash_fwd_kernelI",
     OpKind::kAttentionForward,
     1,
     {"EvNS_16Flash_fwd_paramsE", "Ev16Flash_fwd_params"}},
    {"24flash_fwd_splitkv_kernelI",
     OpKind::kAttentionForward,
     0,
     {"EvNS_16Flash_fwd_paramsE", "Ev16Flash_fwd_params"}},
    {"44flash_bwd_dq_dk_dv_loop_seqk_parallel_kernelI",
     OpKind::kAttentionBackward,
     1,
     {"EvNS_16Flash_bwd_paramsE", "Ev16Flash_bwd_params"}}};

NamedLayout FlashOf(const char* at) {
  for (const FlashName& row : kFlashNames) {
    const char* rest = at;
    if (!Skip(rest, row.name)) continue;
    if (!EndsWith(rest, row.parameters[0]) &&
        !EndsWith(rest, row.parameters[1])) {
      return {};
    }
    bool flags[kMostFlags] = {};
    const int count = FlagsOf(rest, flags);
    if (count < 6 || count > kMostFlags || flags[row.causal + 1]) return {};
    const bool is_bf16 = strstr(rest, "bfloat16_t") != nullptr;
    return Named(kFlash, row.kind, is_bf16 ? DType::kBf16 : DType::kF16,
                 flags[row.causal]);
  }
  return {};
}

// "fmha_cutlassF_bf16_aligned_64x64_rf_sm80"; B: backward.
struct MemEfficientName {
  const char* begin;
  uint32_t layout;
  OpKind kind;
  const char* structure;  // whose Params are all that the kernel gets
};
constexpr MemEfficientName kMemEfficientNames[] = {
    {"fmha_cutlassF", kMemEfficientForward, OpKind::kAttentionForward,
     "AttentionKernel"},
    {"fmha_cutlassB", kMemEfficientBackward, OpKind::kAttentionBackward,
     "AttentionBackwardKernel"}};

bool GetsParamsOf(const char* structure, const char* types) {
  if (!Skip(types, "N")) return false;
  Identifier scope = TakeIdentifier(types);
  if (scope.Is("PyTorchMemEffAttention")) scope = TakeIdentifier(types);
  return scope.Is(structure) && *types == 'I' && EndsWith(types, "E6ParamsE");
}

// "_f32_aligned_64x64_rf_sm80"
DType TypeOf(const char* rest) {
  if (Skip(rest, "_f32_")) return DType::kF32;
  if (Skip(rest, "_f16_")) return DType::kF16;
  return Skip(rest, "_bf16_") ? DType::kBf16 : DType::kUnknown;
}

NamedLayout MemEfficientOf(const char* at) {
  const char* name = TakeIdentifier(at).begin;
  if (name == nullptr) return {};
  for (const MemEfficientName& row : kMemEfficientNames) {
    const char* rest = name;
    if (!Skip(rest, row.begin) || !GetsParamsOf(row.structure, at)) continue;
    const DType type = TypeOf(rest);
    if (type == DType::kUnknown) return {};
    return Named(row.layout, row.kind, type, false);
  }
  return {};
}

class Parameters {
 public:
  explicit Parameters(const void* at) : at_(static_cast<const uint8_t*>(at)) {}

  int64_t Int(int16_t offset) const { return Load<int32_t>(offset); }
  int64_t Byte(int16_t offset) const { return Load<uint8_t>(offset); }
  bool IsNull(int16_t offset) const { return Load<uint64_t>(offset) == 0; }

 private:
  template <typename T>
  T Load(int16_t offset) const {
    T value = 0;
    if (offset >= 0) memcpy(&value, at_ + offset, sizeof(value));
    return value;
  }

  const uint8_t* at_;
};

constexpr int64_t kMostHeads = 65535;
constexpr int64_t kMostLength = int64_t{1} << 31;
constexpr int64_t kMostHeadDim = 65535;

bool IsIn(int64_t value, int64_t most) { return value > 0 && value <= most; }

// Blocks are of one head of one sequence, in whatever order.
bool FitsGrid(const Operation& op, const abi::dim3& grid) {
  const int64_t batch = op[Dim::kBatch];
  const int64_t heads = op[Dim::kHeads];
  return (grid.y == batch && grid.z == heads) ||
         (grid.y == heads && grid.z == batch) || grid.z == batch * heads;
}

bool MakesSense(const Operation& op) {
  return IsIn(op[Dim::kBatch], kMostHeads) &&
         IsIn(op[Dim::kHeads], kMostHeads) &&
         IsIn(op[Dim::kKvHeads], op[Dim::kHeads]) &&
         op[Dim::kHeads] % op[Dim::kKvHeads] == 0 &&
         IsIn(op[Dim::kSeqQ], kMostLength) &&
         IsIn(op[Dim::kSeqKv], kMostLength) &&
         IsIn(op[Dim::kHeadDim], kMostHeadDim) &&
         IsIn(op[Dim::kHeadDimV], kMostHeadDim);
}

void ReadDims(const Layout& layout, const Parameters& parameters,
              Operation& op) {
  op[Dim::kBatch] = parameters.Int(layout.batch);
  op[Dim::kHeads] = parameters.Int(layout.heads);
  op[Dim::kKvHeads] =
      layout.kv_heads >= 0 ? parameters.Int(layout.kv_heads) : op[Dim::kHeads];
  op[Dim::kSeqQ] = parameters.Int(layout.queries);
  op[Dim::kSeqKv] = parameters.Int(layout.keys);
  op[Dim::kHeadDim] = parameters.Int(layout.head_dim);
  op[Dim::kHeadDimV] = layout.head_dim_v >= 0
                           ? parameters.Int(layout.head_dim_v)
                           : op[Dim::kHeadDim];
}

}  // namespace

NamedLayout AttentionOfName(const char* name) {
  const char* at = name;
  if (!Skip(at, "_Z")) return {};
  if (Skip(at, "N")) {
    const Identifier space = TakeIdentifier(at);
    const bool is_its = space.Is("pytorch_flash") || space.Is("flash");
    return is_its ? FlashOf(at) : NamedLayout();
  }
  const NamedLayout flash = FlashOf(at);
  return flash.reader != ArgumentReader::kNone ? flash : MemEfficientOf(at);
}

bool ReadAttention(const NamedLayout& named, const abi::dim3& grid,
                   const void* const* arguments, opmodel::Operation* out) {
  if (arguments[0] == nullptr) return false;
  const Layout& layout = kLayouts[named.layout];
  const Parameters parameters(arguments[0]);
  for (const int16_t length : layout.lengths) {
    if (length > 0 && !parameters.IsNull(length)) return false;
  }
  const int64_t mask = parameters.Byte(layout.mask);
  if (mask > 2 || parameters.Int(layout.window) != 0) return false;
  Operation& op = *out;
  ReadDims(layout, parameters, op);
  if (!MakesSense(op) || !FitsGrid(op, grid)) return false;
  const bool is_causal = mask != 0 || named.flag != 0;
  // Which pairs a mask leaves depends on where it is aligned.
  if (is_causal && op[Dim::kSeqQ] != op[Dim::kSeqKv]) return false;
  op[Dim::kCausal] = is_causal ? 1 : 0;
  op.kind = named.kind();
  op.storage = op.math = named.dtype();
  return true;
}

}  // namespace dltap::shim::tagging
