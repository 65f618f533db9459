// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/work/launch_work.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "analyzer/attribution/base/launch_shape.h"
#include "analyzer/attribution/names/name_rules.h"
#include "analyzer/attribution/names/template_text.h"

namespace dltap::analyzer {
namespace {

using opmodel::DType;
using Views = std::vector<std::string_view>;

#include "launch_rules.inc"

// What of a kernel's name a launch rule asks for.
struct KernelName {
  Views arguments;
  std::vector<DType> types;  // of the tensors, the result last; empty: unknown
  bool old_array = false;    // the array type that PyTorch had until 2.5
};

double BytesOf(const std::vector<DType>& types) {
  return std::accumulate(
      types.begin(), types.end(), 0.0,
      [](double sum, DType type) { return sum + opmodel::BitsOf(type) / 8.0; });
}

bool AllKnown(const std::vector<DType>& types) {
  return !types.empty() && std::ranges::all_of(types, [](DType type) {
    return opmodel::BitsOf(type) != 0;
  });
}

bool IsFloat(DType type) {
  return type == DType::kF64 || type == DType::kF32 || type == DType::kF16 ||
         type == DType::kBf16;
}

std::optional<double> Number(const Views& arguments, int at) {
  if (static_cast<size_t>(at) >= arguments.size()) return std::nullopt;
  const auto value = TemplateNumber(arguments[static_cast<size_t>(at)]);
  if (!value || *value < 0) return std::nullopt;
  return static_cast<double>(*value);
}

// By the bytes that are moved per element; AMD's blocks have 256 threads, and a
// rule of their own.
std::optional<double> TorchTile(const KernelName& name,
                                const LaunchShape& shape, TorchTiles tiles) {
  constexpr uint32_t kAmdThreads = 256;
  if (name.old_array || tiles == TorchTiles::kFour) return 4;
  if (!AllKnown(name.types)) return std::nullopt;
  if (shape.block[0] != kAmdThreads) {
    if (tiles == TorchTiles::kUnknown) return std::nullopt;
    return BytesOf(name.types) == 1 ? 16 : 8;
  }
  const int bits = std::min(opmodel::BitsOf(name.types.front()),
                            opmodel::BitsOf(name.types.back()));
  if (bits >= 32) return 4;
  if (tiles == TorchTiles::kUnknown) return std::nullopt;
  return bits == 8 ? 16 : 8;
}

std::optional<double> ValueOf(const Factor& factor, const KernelName& name,
                              const LaunchShape& shape, TorchTiles tiles) {
  const std::optional<double> number = Number(name.arguments, factor.argument);
  switch (factor.kind) {
    case Factor::Kind::kThreads:
      return double{1} * shape.block[0] * shape.block[1] * shape.block[2];
    case Factor::Kind::kRows: return shape.block[1];
    case Factor::Kind::kArgument: return number;
    case Factor::Kind::kPower:
      if (!number || *number > 40) return std::nullopt;
      return static_cast<double>(int64_t{1} << static_cast<int>(*number));
    case Factor::Kind::kPair:
      if (!number) return std::nullopt;
      return *number <= 7 ? 2 : 1;
    case Factor::Kind::kTorch: return TorchTile(name, shape, tiles);
    case Factor::Kind::kUnrolled: return Number(name.arguments, 2).value_or(4);
  }
  return std::nullopt;
}

// The elements that a whole block handles.
std::optional<double> PerBlock(const LaunchRule& rule, const KernelName& name,
                               const LaunchShape& shape, TorchTiles tiles) {
  double product = 1;
  for (const Factor& factor : std::span(rule.per_block, rule.factors)) {
    const auto value = ValueOf(factor, name, shape, tiles);
    if (!value || *value <= 0) return std::nullopt;
    product *= *value;
  }
  return product;
}

bool AnyGlobMatches(std::string_view globs, std::string_view text) {
  while (!globs.empty()) {
    const size_t bar = std::min(globs.find('|'), globs.size());
    if (GlobMatches(globs.substr(0, bar), text)) return true;
    globs.remove_prefix(std::min(bar + 1, globs.size()));
  }
  return false;
}

const FunctorRule* MatchFunctor(std::string_view functor) {
  const auto* rule = std::ranges::find_if(
      kFunctorRules, [functor](const FunctorRule& candidate) {
        return AnyGlobMatches(candidate.globs, functor);
      });
  return rule == std::end(kFunctorRules) ? nullptr : rule;
}

// The tensors have other types than the functor.
bool Casts(const Views& arguments) {
  return std::ranges::any_of(arguments, [](std::string_view argument) {
    return argument.find("WithCast<") != argument.npos ||
           argument.find("gpu_kernel_impl<") != argument.npos;
  });
}

std::vector<DType> TypesByRule(const LaunchRule& rule, const Views& arguments) {
  std::vector<DType> types;
  for (const TensorOfRule& tensor : std::span(rule.tensors, rule.n_tensors)) {
    const auto at = static_cast<size_t>(tensor.argument);
    if (tensor.argument < 0) {
      types.push_back(tensor.type);
    } else {
      types.push_back(at < arguments.size() ? ElementType(arguments[at])
                                            : DType::kUnknown);
    }
  }
  return types;
}

std::string_view FunctorOf(const LaunchRule& rule, const Views& arguments) {
  const auto at = static_cast<size_t>(rule.functor);
  if (rule.functor < 0 || at >= arguments.size()) return {};
  return InnerFunctor(arguments[at]);
}

// The types that the functor computes with; those in memory, if nothing casts.
// What a lambda gives back is known of those that have a rule.
std::vector<DType> TypesOf(const LaunchRule& rule, const FunctorRule* functor,
                           const Views& arguments) {
  if (rule.functor < 0) return TypesByRule(rule, arguments);
  size_t tensors = functor == nullptr ? 0 : functor->tensors;
  const size_t after = rule.functor + 1;
  if (after < arguments.size()) {
    if (const auto n = PointersIn(arguments[after])) tensors = *n;
  }
  const std::string_view text = FunctorOf(rule, arguments);
  const bool is_lambda =
      text.substr(0, text.find('<')).find("Functor") == std::string_view::npos;
  if (functor == nullptr && is_lambda) return {};
  auto types = TypesOfFunctor(text, tensors);
  if (!types.empty() && functor != nullptr &&
      functor->writes != DType::kUnknown) {
    types.back() = functor->writes;
  }
  return types;
}

// Narrow floats are computed with as FP32.
DType MathOf(const std::vector<DType>& types) {
  return std::ranges::find(types, DType::kF64) != types.end() ? DType::kF64
                                                              : DType::kF32;
}

// Whether the arithmetic of one element is that of floats.
bool Computes(const std::vector<DType>& types) {
  return std::ranges::any_of(types, IsFloat);
}

// "torch 2.11.0" -> 2011; 0: another framework, or unknown.
int TorchVersionOf(std::string_view framework) {
  constexpr std::string_view kTorch = "torch ";
  if (!framework.starts_with(kTorch)) return 0;
  framework.remove_prefix(kTorch.size());
  int major = 0;
  int minor = 0;
  const char* const end = framework.data() + framework.size();
  const auto first = std::from_chars(framework.data(), end, major);
  if (first.ec != std::errc() || first.ptr == end) return 0;
  const auto second = std::from_chars(first.ptr + 1, end, minor);
  if (second.ec != std::errc() || minor > 999) return 0;
  return major * 1000 + minor;
}

// Mangled or not.
bool TakesEight(std::string_view kernel) {
  constexpr std::string_view kName = "vectorized_elementwise_kernel";
  const size_t at = kernel.find(kName);
  if (at == kernel.npos) return false;
  const std::string_view rest = kernel.substr(at + kName.size());
  return rest.starts_with("<8,") || rest.starts_with("<16,") ||
         rest.starts_with("ILi8E") || rest.starts_with("ILi16E");
}

}  // namespace

std::span<const LaunchRule> LaunchRules() { return kLaunchRules; }

const LaunchRule* MatchLaunch(std::string_view demangled) {
  const std::string path = KernelPath(demangled);
  const auto* rule =
      std::ranges::find_if(kLaunchRules, [&path](const LaunchRule& candidate) {
        return AnyGlobMatches(candidate.globs, path);
      });
  return rule == std::end(kLaunchRules) ? nullptr : rule;
}

std::optional<LaunchWork> WorkOfLaunch(std::string_view demangled,
                                       const LaunchShape& shape,
                                       TorchTiles tiles) {
  const LaunchRule* rule = MatchLaunch(demangled);
  if (rule == nullptr) return std::nullopt;
  KernelName name;
  name.arguments = TemplateArguments(demangled);
  name.old_array = demangled.find("at::detail::Array<") != demangled.npos;
  const std::string_view functor = FunctorOf(*rule, name.arguments);
  const FunctorRule* of_functor = MatchFunctor(functor);
  name.types = TypesOf(*rule, of_functor, name.arguments);

  const auto per_block = PerBlock(*rule, name, shape, tiles);
  const double blocks =
      double{1} * shape.grid[0] * shape.grid[1] * shape.grid[2];
  if (!per_block || blocks <= 0) return std::nullopt;
  const double elements = blocks * *per_block;

  LaunchWork work;
  const bool flops_told = rule->functor < 0 || of_functor != nullptr;
  if (flops_told && AllKnown(name.types)) {
    const double flops = rule->functor < 0 ? rule->flops : of_functor->flops;
    work.flops = Computes(name.types) ? flops * elements : 0;
    work.math = MathOf(name.types);
  }
  if (AllKnown(name.types) && !Casts(name.arguments)) {
    const double certain = ((blocks - 1) * *per_block + 1) * rule->least;
    const double result = opmodel::BitsOf(name.types.back()) / 8.0;
    work.bytes = elements * BytesOf(name.types);
    work.bytes_least = certain * (rule->strided ? result : BytesOf(name.types));
  }
  if (!work.flops && !work.bytes) return std::nullopt;
  return work;
}

TorchTiles TilesOf(const TraceModel& model, const Process& process) {
  constexpr int kLastOfFour = 2006;
  constexpr int kFirstOfMore = 2008;
  constexpr uint64_t kCuda13 = 13'000;
  const int torch = TorchVersionOf(process.framework);
  if (torch >= kFirstOfMore) return TorchTiles::kMore;
  if (torch != 0 && torch <= kLastOfFour) return TorchTiles::kFour;
  for (const LibraryVersion& version : process.libraries) {
    if (version.library == "cudart" && version.number >= kCuda13) {
      return TorchTiles::kMore;
    }
  }
  absl::flat_hash_set<TextId> seen;
  for (const Activity& activity : process.activities) {
    if (activity.kind != ActivityKind::kKernel) continue;
    if (!seen.insert(activity.name).second) continue;
    if (TakesEight(model.texts[activity.name])) return TorchTiles::kMore;
  }
  return TorchTiles::kUnknown;
}

void AddLaunchWorks(const TraceModel& model, const Process& process,
                    ProcessAttribution& attribution) {
  const TorchTiles tiles = TilesOf(model, process);
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const Activity& activity = process.activities[i];
    const WorkId own = attribution.activities[i].work;
    if (activity.kind != ActivityKind::kKernel) continue;
    if (own.known() && attribution.KindOf(own).cost) continue;
    const auto [it, is_new] = attribution.launch_works.try_emplace(
        LaunchKey{activity.name, activity.shape});
    if (!is_new) continue;
    it->second = WorkOfLaunch(Demangle(model.texts[activity.name]),
                              ShapeOf(process, activity), tiles);
  }
}

}  // namespace dltap::analyzer
