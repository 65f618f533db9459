// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/attention_kernels.h"

#include <cstring>

#include "shim/tap/tagging/tagging_runtime.h"

namespace dltap::shim::tagging {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::Operation;
using opmodel::OpKind;

// Where a kernel's parameters have what attention is, in bytes. -1: nowhere.
struct Layout {
  OpKind kind;
  int16_t batch;
  int16_t heads;
  int16_t kv_heads;
  int16_t queries;
  int16_t keys;
  int16_t head_dim;
  int16_t head_dim_v;
  int16_t mask;    // u8: 0 none, 1 and 2 causal
  int16_t window;  // i32: keys that a query sees; 0: all
  // Pointers to lengths that differ within the batch.
  int16_t lengths[5];
};

// FlashAttention 2.3 to 2.8 (csrc/flash_attn/src/flash.h, Flash_fwd_params),
// PyTorch's copy of it alike; the backward pass has more behind. Then
// memory-efficient attention of PyTorch 2.x and xFormers
// (mem_eff_attention/kernel_forward.h and kernel_backward.h, Params).
constexpr Layout kLayouts[] = {{OpKind::kAttentionForward,
                                176,
                                96,
                                100,
                                180,
                                184,
                                192,
                                -1,
                                -1,
                                -1,
                                {224, 232, 240, 248, -1}},
                               {OpKind::kAttentionBackward,
                                176,
                                96,
                                100,
                                180,
                                184,
                                192,
                                -1,
                                -1,
                                -1,
                                {224, 232, 240, 248, -1}},
                               {OpKind::kAttentionForward,
                                192,
                                196,
                                -1,
                                104,
                                108,
                                96,
                                100,
                                116,
                                88,
                                {32, 40, 48, -1, -1}},
                               {OpKind::kAttentionBackward,
                                376,
                                160,
                                -1,
                                152,
                                156,
                                144,
                                148,
                                164,
                                136,
                                {64, 72, -1, -1, -1}}};
constexpr uint64_t kFlash = 0;         // into kLayouts; backward follows
constexpr uint64_t kMemEfficient = 2;  // the same

// Of a kernel: its layout + 1, its type, whether its name says causal.
constexpr int kTypeShift = 8;
constexpr uint64_t kCausal = 1u << 16;

uint64_t KindOf(uint64_t layout, DType type, bool is_causal) {
  return (layout + 1) | static_cast<uint64_t>(type) << kTypeShift |
         (is_causal ? kCausal : 0);
}

bool Skip(const char*& at, const char* prefix) {
  const size_t length = strlen(prefix);
  if (strncmp(at, prefix, length) != 0) return false;
  at += length;
  return true;
}

int SkipNumber(const char*& at) {
  int number = 0;
  for (; *at >= '0' && *at <= '9' && number < 4096; ++at) {
    number = 10 * number + (*at - '0');
  }
  return number;
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
  uint64_t layout;
  int causal;  // which flag; that of a window follows
};
constexpr FlashName kFlashNames[] = {
    {"16flash_fwd_kernelI", kFlash, 1},
    {"24flash_fwd_splitkv_kernelI", kFlash, 0},
    {"44flash_bwd_dq_dk_dv_loop_seqk_parallel_kernelI", kFlash + 1, 1}};

uint64_t KindOfFlash(const char* at) {
  for (const FlashName& row : kFlashNames) {
    const char* rest = at;
    if (!Skip(rest, row.name)) continue;
    bool flags[kMostFlags] = {};
    const int count = FlagsOf(rest, flags);
    if (count < 6 || count > kMostFlags || flags[row.causal + 1]) return 0;
    const bool is_bf16 = strstr(rest, "bfloat16_t") != nullptr;
    return KindOf(row.layout, is_bf16 ? DType::kBf16 : DType::kF16,
                  flags[row.causal]);
  }
  return 0;
}

// "fmha_cutlassF_bf16_aligned_64x64_rf_sm80(...)"; B: backward.
uint64_t KindOfMemEfficient(const char* at) {
  const bool is_backward = *at == 'B';
  if (*at != 'F' && *at != 'B') return 0;
  ++at;
  const uint64_t layout = kMemEfficient + (is_backward ? 1 : 0);
  if (Skip(at, "_f32_")) return KindOf(layout, DType::kF32, false);
  if (Skip(at, "_f16_")) return KindOf(layout, DType::kF16, false);
  if (Skip(at, "_bf16_")) return KindOf(layout, DType::kBf16, false);
  return 0;
}

// 0: no kernel of these. Most names are left after a few characters.
uint64_t KindOfName(const char* name) {
  const char* at = name;
  if (!Skip(at, "_Z")) return 0;
  if (*at == 'N') {
    ++at;
    const int length = SkipNumber(at);
    if (strncmp(at, "pytorch_flash", 13) != 0 && strncmp(at, "flash", 5) != 0) {
      return 0;
    }
    if (strnlen(at, static_cast<size_t>(length)) < static_cast<size_t>(length))
      return 0;
    return KindOfFlash(at + length);
  }
  const uint64_t kind = KindOfFlash(at);
  if (kind != 0) return kind;
  SkipNumber(at);
  return Skip(at, "fmha_cutlass") ? KindOfMemEfficient(at) : 0;
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

bool IsIn(int64_t value, int64_t most) { return value > 0 && value <= most; }

// Blocks are of one head of one sequence, in whatever order.
bool FitsGrid(int64_t batch, int64_t heads, const abi::dim3& grid) {
  return (grid.y == batch && grid.z == heads) ||
         (grid.y == heads && grid.z == batch) || grid.z == batch * heads;
}

constexpr int64_t kMostHeads = 65535;
constexpr int64_t kMostLength = int64_t{1} << 31;
constexpr int64_t kMostHeadDim = 65535;

}  // namespace

void AttentionKernels::Set(const void* function, uint64_t kind) {
  const auto key = reinterpret_cast<uint64_t>(function);
  if (kind != 0) {
    if (!kinds_.Insert(key, kind)) {
      CountLoss(trace::LossKind::kRegistrationOverflow);
    }
  } else if (kinds_.Find(key) != 0) {
    kinds_.Erase(key);
  }
}

void AttentionKernels::Named(const void* function, const char* name) {
  if (function != nullptr && name != nullptr) Set(function, KindOfName(name));
}

void AttentionKernels::Alias(const void* function, const void* source) {
  if (function != nullptr) {
    Set(function, kinds_.Find(reinterpret_cast<uint64_t>(source)));
  }
}

void AttentionKernels::Forget(const void* function) { Set(function, 0); }

bool AttentionKernels::Read(const void* function, const abi::dim3& grid,
                            const void* const* arguments,
                            opmodel::Operation* out) const {
  const uint64_t kind = kinds_.Find(reinterpret_cast<uint64_t>(function));
  if (kind == 0 || arguments == nullptr || arguments[0] == nullptr) {
    return false;
  }
  const Layout& layout = kLayouts[(kind & 0xFF) - 1];
  const Parameters parameters(arguments[0]);
  for (const int16_t length : layout.lengths) {
    if (!parameters.IsNull(length)) return false;
  }
  if (parameters.Int(layout.window) != 0) return false;
  const int64_t mask = parameters.Byte(layout.mask);
  const int64_t batch = parameters.Int(layout.batch);
  const int64_t heads = parameters.Int(layout.heads);
  const int64_t kv_heads =
      layout.kv_heads >= 0 ? parameters.Int(layout.kv_heads) : heads;
  const int64_t queries = parameters.Int(layout.queries);
  const int64_t keys = parameters.Int(layout.keys);
  const int64_t head_dim = parameters.Int(layout.head_dim);
  const int64_t head_dim_v =
      layout.head_dim_v >= 0 ? parameters.Int(layout.head_dim_v) : head_dim;
  if (mask > 2 || !IsIn(batch, kMostHeads) || !IsIn(heads, kMostHeads) ||
      !IsIn(kv_heads, heads) || heads % kv_heads != 0 ||
      !IsIn(queries, kMostLength) || !IsIn(keys, kMostLength) ||
      !IsIn(head_dim, kMostHeadDim) || !IsIn(head_dim_v, kMostHeadDim) ||
      !FitsGrid(batch, heads, grid)) {
    return false;
  }
  const bool is_causal = mask != 0 || (kind & kCausal) != 0;
  // Which pairs a mask leaves depends on where it is aligned.
  if (is_causal && queries != keys) return false;
  Operation& op = *out;
  op.kind = layout.kind;
  op.storage = op.math = static_cast<DType>(kind >> kTypeShift & 0xFF);
  op[Dim::kBatch] = batch;
  op[Dim::kHeads] = heads;
  op[Dim::kKvHeads] = kv_heads;
  op[Dim::kSeqQ] = queries;
  op[Dim::kSeqKv] = keys;
  op[Dim::kHeadDim] = head_dim;
  op[Dim::kHeadDimV] = head_dim_v;
  op[Dim::kCausal] = is_causal ? 1 : 0;
  return true;
}

constinit AttentionKernels g_attention_kernels;

}  // namespace dltap::shim::tagging
