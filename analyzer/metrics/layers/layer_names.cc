// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/layers/layer_names.h"

#include <cctype>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "analyzer/attribution/names/name_rules.h"
#include "analyzer/metrics/base/op_name.h"

namespace dltap::analyzer {
namespace {

using opmodel::Dim;
using opmodel::Operation;
using opmodel::OpKind;

// "64x56x56": of a volume only what the layer has.
std::string Joined(const std::vector<int64_t>& sizes) {
  return absl::StrJoin(sizes, "x");
}

std::vector<int64_t> Volume(const Operation& op, Dim channels, Dim depth,
                            Dim height, Dim width) {
  std::vector<int64_t> sizes{op[channels]};
  if (op[depth] > 1) sizes.push_back(op[depth]);
  if (op[height] > 1 || op[depth] > 1) sizes.push_back(op[height]);
  sizes.push_back(op[width]);
  return sizes;
}

std::string ConvText(const Operation& op) {
  std::string text =
      absl::StrCat(Joined(Volume(op, Dim::kChannelsIn, Dim::kDepthIn,
                                 Dim::kHeightIn, Dim::kWidthIn)),
                   " -> ",
                   Joined(Volume(op, Dim::kChannelsOut, Dim::kDepthOut,
                                 Dim::kHeightOut, Dim::kWidthOut)));
  const int64_t height = op[Dim::kFilterHeight];
  const int64_t width = op[Dim::kFilterWidth];
  absl::StrAppend(&text, " k", width);
  if (height != width) {
    text.resize(text.rfind('k') + 1);
    absl::StrAppend(&text, height, "x", width);
  }
  if (op[Dim::kGroups] > 1) absl::StrAppend(&text, " g", op[Dim::kGroups]);
  return text;
}

// Rows x outputs x inputs, as a layer has them; BLAS counts columns first.
std::string GemmText(const Operation& op, bool is_blas) {
  const int64_t rows = is_blas ? op[Dim::kN] : op[Dim::kM];
  const int64_t outputs = is_blas ? op[Dim::kM] : op[Dim::kN];
  const std::string sizes = Joined({rows, outputs, op[Dim::kK]});
  return op[Dim::kBatch] > 1 ? absl::StrCat(op[Dim::kBatch], " of ", sizes)
                             : sizes;
}

std::string RnnText(const Operation& op) {
  std::string text = absl::StrCat(op[Dim::kInput], " -> ", op[Dim::kHidden],
                                  " seq ", op[Dim::kSeq]);
  if (op[Dim::kLayers] > 1) {
    absl::StrAppend(&text, " ", op[Dim::kLayers], " layers");
  }
  if (op[Dim::kDirections] > 1) absl::StrAppend(&text, " both ways");
  return text;
}

std::string AttentionText(const Operation& op) {
  return absl::StrCat(op[Dim::kHeads], " heads ", op[Dim::kSeqQ], "x",
                      op[Dim::kSeqKv], "x", op[Dim::kHeadDim],
                      op[Dim::kCausal] != 0 ? " causal" : "");
}

// "lstm", not "rnn".
std::string CellOrClass(const Operation& op, LayerClass layer_class) {
  if (layer_class != LayerClass::kRnn || op.cell == opmodel::RnnCell::kNone) {
    return std::string(Name(layer_class));
  }
  return std::string(specs::Name(op.cell));
}

// Empty: the sizes are not known.
std::string SizesText(const Operation& op, bool is_blas) {
  switch (op.kind) {
    case OpKind::kGemm: return op[Dim::kM] == 0 ? "" : GemmText(op, is_blas);
    case OpKind::kConvForward:
    case OpKind::kConvBackwardData:
    case OpKind::kConvBackwardWeight:
      return op[Dim::kChannelsIn] == 0 ? "" : ConvText(op);
    case OpKind::kRnnForward: return op[Dim::kHidden] == 0 ? "" : RnnText(op);
    case OpKind::kAttentionForward:
      return op[Dim::kHeads] == 0 ? "" : AttentionText(op);
    default: return "";
  }
}

// " f64"; of FP32, which most layers have, and of unknown types nothing.
std::string TypeText(const Operation& op) {
  const bool is_usual = op.storage == opmodel::DType::kUnknown ||
                        op.storage == opmodel::DType::kF32;
  return is_usual ? "" : " " + std::string(specs::Name(op.storage));
}

bool IsWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The first functor or function among the template's arguments; empty: none.
std::string_view FunctorOf(std::string_view name) {
  for (size_t i = 0; i < name.size();) {
    size_t end = i;
    while (end < name.size() && IsWord(name[end])) ++end;
    const std::string_view word = name.substr(i, end - i);
    const bool tells =
        word.find("unctor") != std::string_view::npos ||
        word.ends_with("_kernel_cuda") || word.ends_with("_kernel_impl") ||
        word.ends_with("_kernel") || word.ends_with("KernelImpl") ||
        word.starts_with("launch_");
    if (tells && word.find("elementwise") == std::string_view::npos &&
        !word.starts_with("gpu_kernel")) {
      return word;
    }
    i = end + 1;
  }
  return {};
}

// "at::native::reduce_kernel<...>" -> "reduce_kernel"; functors tell what
// elementwise kernels do: "CUDAFunctor_add".
std::string KernelText(std::string_view name) {
  const std::string text = ShortKernelName(name);
  if (text.ends_with("elementwise_kernel")) {
    const std::string demangled = Demangle(name);
    const std::string_view functor =
        FunctorOf(std::string_view(demangled).substr(text.size()));
    if (!functor.empty()) return std::string(functor);
  }
  const size_t colons = text.rfind("::");
  return colons == std::string::npos ? text : text.substr(colons + 2);
}

}  // namespace

std::string LayerOperation(const TraceModel& model, const Process& process,
                           const ProcessAttribution& attribution, size_t lead) {
  const Attributed& attributed = attribution.activities[lead];
  std::string name(Name(attributed.layer_class));
  if (attributed.work.known()) {
    const Work& work = attribution.works[attributed.work.value()];
    const opmodel::Operation& op = attribution.KindOf(work).leading;
    const std::string sizes = SizesText(op, work.call.known());
    if (!sizes.empty()) {
      return absl::StrCat(CellOrClass(op, attributed.layer_class), " ", sizes,
                          TypeText(op));
    }
  }
  if (attributed.ruling.known()) {
    const Range& range = process.ranges[attributed.ruling.value()];
    return absl::StrCat(name, " ", std::string(model.texts[range.name]));
  }
  const Activity& activity = process.activities[lead];
  if (activity.kind != ActivityKind::kKernel) return name;
  return absl::StrCat(name, " ", KernelText(model.texts[activity.name]));
}

std::string WeightsOf(std::string_view operation) {
  std::vector<std::string> words = absl::StrSplit(std::string(operation), ' ');
  if (specs::FromName<opmodel::DType>(words.back())) words.pop_back();
  const auto first_size = [](const std::string& volume) {
    return volume.substr(0, volume.find('x'));
  };
  if (words.size() == 2 && words[0] == "gemm") {  // gemm ROWSxOUTPUTSxINPUTS
    const size_t sizes = words[1].find('x');
    if (sizes == std::string::npos) return "";
    return absl::StrCat("gemm ", words[1].substr(sizes + 1));
  }
  if (words.size() < 5 || words[2] != "->") return "";
  if (words[0] == "conv") {  // conv IN -> OUT k3 g2
    words[1] = first_size(words[1]);
    words[3] = first_size(words[3]);
  } else if (words.size() > 5 && words[4] == "seq") {  // lstm 8 -> 9 seq 10 ...
    words.erase(words.begin() + 4, words.begin() + 6);
  } else {
    return "";
  }
  return absl::StrJoin(words, " ");
}

std::string ModuleName(std::string_view range) {
  constexpr std::string_view kModule = "nn.Module: ";
  if (range.starts_with(kModule)) range.remove_prefix(kModule.size());
  return std::string(range);
}

}  // namespace dltap::analyzer
