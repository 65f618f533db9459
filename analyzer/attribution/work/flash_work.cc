// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/work/flash_work.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analyzer/attribution/base/launch_shape.h"
#include "analyzer/attribution/names/name_rules.h"
#include "analyzer/attribution/names/template_text.h"
#include "opmodel/cost.h"

namespace dltap::analyzer {
namespace {

using opmodel::Dim;
using opmodel::DType;

enum class Part : uint8_t { kForward, kSplitForward, kPrepare, kBackward };

// The part's name, and where its flags stand among the template arguments.
struct PartRow {
  Part part;
  std::string_view name;
  size_t traits;  // position of the traits
  size_t causal;
  size_t local;  // alibi follows
  size_t even;   // lengths and head size are whole tiles: two flags
  size_t split;  // 0: never
};

constexpr PartRow kParts[] = {
    {Part::kForward, "flash_fwd_kernel<", 0, 2, 3, 5, 0},
    {Part::kSplitForward, "flash_fwd_splitkv_kernel<", 0, 1, 2, 4, 7},
    {Part::kPrepare, "flash_bwd_dot_do_o_kernel<", 1, 0, 0, 0, 0},
    {Part::kBackward, "flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<", 0, 2, 3,
     5, 0}};

// What a kernel's name and grid tell of it.
struct FlashKernel {
  Part part;
  DType type = DType::kUnknown;
  bool causal = false;
  bool exact = false;   // lengths are whole tiles, and no window cuts them
  int64_t heads = 0;    // of all of the batch
  int64_t dim = 0;      // of a head
  int64_t queries = 0;  // 0: not told
  int64_t keys = 0;
};

bool Flag(const std::vector<std::string_view>& arguments, size_t at) {
  return at < arguments.size() &&
         (arguments[at] == "true" || arguments[at] == "(bool)1");
}

std::optional<FlashKernel> KernelOf(std::string_view demangled,
                                    const LaunchShape& shape) {
  for (const PartRow& row : kParts) {
    if (demangled.find(row.name) == demangled.npos) continue;
    const auto arguments = TemplateArguments(demangled);
    if (row.traits >= arguments.size()) return std::nullopt;
    const auto traits = TemplateArguments(arguments[row.traits]);
    if (traits.size() < 4) return std::nullopt;
    const auto dim = TemplateNumber(traits[0]);
    const auto rows = TemplateNumber(traits[1]);
    const auto columns = TemplateNumber(traits[2]);
    if (!dim || !rows || !columns) return std::nullopt;
    FlashKernel kernel{row.part};
    for (std::string_view trait : traits) {
      const DType type = ElementType(trait);
      if (opmodel::BitsOf(type) == 16) kernel.type = type;
    }
    kernel.causal = Flag(arguments, row.causal);
    kernel.exact = Flag(arguments, row.even) && Flag(arguments, row.even + 1) &&
                   !Flag(arguments, row.local);
    const bool split = row.split != 0 && Flag(arguments, row.split);
    kernel.heads = int64_t{shape.grid[2]} * (split ? 1 : shape.grid[1]);
    kernel.dim = *dim;
    const bool by_keys = row.part == Part::kBackward;
    (by_keys ? kernel.keys : kernel.queries) =
        shape.grid[0] * (by_keys ? *columns : *rows);
    return kernel;
  }
  return std::nullopt;
}

LaunchWork WorkOf(const FlashKernel& kernel) {
  opmodel::Operation op;
  op.kind = kernel.part == Part::kBackward ? opmodel::OpKind::kAttentionBackward
                                           : opmodel::OpKind::kAttentionForward;
  op.storage = op.math = kernel.type;
  op[Dim::kBatch] = 1;
  op[Dim::kHeads] = kernel.heads;
  op[Dim::kSeqQ] = kernel.queries;
  op[Dim::kSeqKv] = kernel.keys;
  op[Dim::kHeadDim] = kernel.dim;
  op[Dim::kCausal] = kernel.causal ? 1 : 0;
  LaunchWork work;
  const auto most = opmodel::CostOf(op);
  op[Dim::kKvHeads] = 1;  // heads may share keys and values
  const auto least = opmodel::CostOf(op);
  if (!most || !least) return work;
  work.flops = most->flops;
  work.bytes = most->bytes;
  work.bytes_least = least->bytes;
  work.math = kernel.type;
  return work;
}

class FlashPass {
 public:
  FlashPass(const TraceModel& model, const Process& process,
            ProcessAttribution& attribution)
      : model_(model), process_(process), attribution_(attribution) {}

  void Run() {
    for (const auto& [key, work] : attribution_.launch_works) {
      Look(key);
    }
    if (kernels_.empty()) return;
    PairBackward();
    for (auto& [key, kernel] : kernels_) {
      if (!kernel.exact || kernel.part == Part::kPrepare) continue;
      const bool is_backward = kernel.part == Part::kBackward;
      const auto& lengths =
          is_backward ? queries_[key] : keys_[ForwardKey(kernel)];
      if (!is_backward && unpaired_[ForwardKey(kernel)] > 0) continue;
      if (lengths.size() != 1 || *lengths.begin() == 0) continue;
      (is_backward ? kernel.queries : kernel.keys) = *lengths.begin();
      attribution_.launch_works[key] = WorkOf(kernel);
    }
  }

 private:
  using Forward = std::tuple<int64_t, int64_t, int64_t, bool>;
  static Forward ForwardKey(const FlashKernel& kernel) {
    return {kernel.heads, kernel.dim, kernel.queries, kernel.causal};
  }

  void Look(const LaunchKey& key) {
    if (model_.texts[key.first].find("flash_") == std::string_view::npos) {
      return;
    }
    Activity activity{};
    activity.shape = key.second;
    const auto kernel = KernelOf(Demangle(model_.texts[key.first]),
                                 ShapeOf(process_, activity));
    if (kernel) kernels_.emplace(key, *kernel);
  }

  void CountForward(const FlashKernel& kernel, Direction direction) {
    if (kernel.part == Part::kPrepare || kernel.part == Part::kBackward) return;
    if (direction != Direction::kRecompute) ++unpaired_[ForwardKey(kernel)];
  }

  // The queries of a backward pass are those of the kernel that prepares it.
  void PairBackward() {
    std::map<size_t, const FlashKernel*> prepared;  // by stream
    for (size_t i = 0; i < process_.activities.size(); ++i) {
      const Activity& activity = process_.activities[i];
      const LaunchKey key{activity.name, activity.shape};
      const auto it = kernels_.find(key);
      if (it == kernels_.end()) continue;
      const FlashKernel& kernel = it->second;
      const FlashKernel*& before = prepared[activity.stream.value()];
      if (kernel.part == Part::kPrepare) before = &kernel;
      CountForward(kernel, attribution_.activities[i].direction);
      if (kernel.part != Part::kBackward) continue;
      const bool fits = before != nullptr && before->heads == kernel.heads &&
                        before->dim == kernel.dim;
      const int64_t queries = fits ? before->queries : 0;
      queries_[key].insert(queries);
      FlashKernel forward = kernel;
      forward.queries = queries;
      keys_[ForwardKey(forward)].insert(kernel.exact ? kernel.keys : 0);
      --unpaired_[ForwardKey(forward)];
      before = nullptr;
    }
  }

  const TraceModel& model_;
  const Process& process_;
  ProcessAttribution& attribution_;
  absl::flat_hash_map<LaunchKey, FlashKernel> kernels_;
  // 0: not told by one of them.
  absl::flat_hash_map<LaunchKey, std::set<int64_t>> queries_;
  std::map<Forward, std::set<int64_t>> keys_;
  // Forward passes less backward ones: more have none, and may have any keys.
  std::map<Forward, int64_t> unpaired_;
};

}  // namespace

void AddFlashWorks(const TraceModel& model, const Process& process,
                   ProcessAttribution& attribution) {
  FlashPass(model, process, attribution).Run();
}

}  // namespace dltap::analyzer
