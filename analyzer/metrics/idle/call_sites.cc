// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/idle/call_sites.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <optional>
#include <string_view>

#include "analyzer/model/frame_name.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kNativeShown = 3;  // frames in the name of a native path

const SiteFrame* InnermostOwn(const std::vector<SiteFrame>& frames) {
  for (const SiteFrame& frame : frames) {
    if (!IsLibraryFile(frame.place)) return &frame;
  }
  return frames.empty() ? nullptr : &frames.front();
}

// "Net > Sequential > Linear", from the outside in.
std::string ModulesOf(const std::vector<SiteFrame>& frames) {
  std::string modules;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    if (frame->detail.empty()) continue;
    if (!modules.empty()) modules += " > ";
    modules += frame->detail;
  }
  return modules;
}

SiteName NameOfPython(const LaunchSite& site) {
  const SiteFrame* own = InnermostOwn(site.frames);
  if (own == nullptr) return {};
  std::string rest;
  if (own->line > 0) rest += ":" + std::to_string(own->line);
  rest += " " + own->function;
  const std::string modules = ModulesOf(site.frames);
  if (!modules.empty()) rest += " (" + modules + ")";
  return {std::string(BaseName(own->place)) + rest, own->place + rest};
}

// A function without its parameters, and without what follows them.
std::string_view WithoutParameters(std::string_view name) {
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i).starts_with("(anonymous namespace)")) {
      i += std::string_view("(anonymous namespace)").size() - 1;
    } else if (name[i] == '<') {
      ++depth;
    } else if (name[i] == '>') {
      --depth;
    } else if (name[i] == '(' && depth == 0 && i > 0 &&
               !name.substr(0, i).ends_with("operator")) {
      return name.substr(0, i);
    }
  }
  return name;
}

std::string NameOfNative(const SiteFrame& frame) {
  if (!frame.function.empty()) {
    return std::string(WithoutParameters(frame.function));
  }
  char offset[32];
  std::snprintf(offset, sizeof(offset), "+0x%" PRIx64, frame.address);
  const std::string_view object = BaseName(frame.place);
  return (object.empty() ? "?" : std::string(object)) + offset;
}

// The node of autograd whose backward call this is; empty: none.
std::string BackwardNode(const std::vector<SiteFrame>& frames) {
  constexpr std::string_view kGenerated = "torch::autograd::generated::";
  for (const SiteFrame& frame : frames) {
    const std::string_view name = WithoutParameters(frame.function);
    if (name.starts_with(kGenerated) && name.ends_with("::apply")) {
      return std::string(name.substr(kGenerated.size(),
                                     name.size() - kGenerated.size() -
                                         std::string_view("::apply").size()));
    }
  }
  return "";
}

// Without template arguments, result type and anonymous namespaces.
std::string Short(std::string_view function) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  std::string name;
  int depth = 0;
  for (size_t i = 0; i < function.size(); ++i) {
    const bool is_operator = name.ends_with("operator");
    if (function.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
    } else if (function[i] == '<' && !is_operator) {
      ++depth;
    } else if (function[i] == '>' && depth > 0) {
      --depth;
    } else if (depth == 0) {
      name += function[i];
    }
  }
  if (name.find("operator ") != std::string::npos) return name;
  const size_t space = name.rfind(' ');
  return space == std::string::npos ? name : name.substr(space + 1);
}

SiteName NameOfNative(const LaunchSite& site) {
  SiteName name;
  bool is_inside = true;  // of main, as far as the name shows
  for (size_t i = 0; i < site.frames.size(); ++i) {
    const std::string frame = NameOfNative(site.frames[i]);
    if (i < kNativeShown && is_inside) {
      name.text += (i == 0 ? "" : " < ") + Short(frame);
    }
    is_inside = is_inside && frame != "main";
    name.path += (i == 0 ? "" : "\n") + frame;
  }
  if (site.truncated) name.path += "\n...";
  if (const std::string node = BackwardNode(site.frames); !node.empty()) {
    name.text = "autograd " + node + ": " + name.text;
  }
  return name;
}

}  // namespace

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool IsLibraryFile(std::string_view file) {
  return (file.find("/site-packages/") != std::string_view::npos) ||
         (file.find("/dist-packages/") != std::string_view::npos) ||
         (file.find("/lib/python3") != std::string_view::npos) ||
         file.starts_with("<frozen ") || file.starts_with("torch/");
}

SiteName NameOfSite(const LaunchSite& site) {
  return site.kind == SiteKind::kPython ? NameOfPython(site)
                                        : NameOfNative(site);
}

CallSites::CallSites(const TraceModel& model, const Process& process)
    : process_(process) {
  if (!process.call_sites.empty()) {
    AddRecorded(model);
  } else if (model.format == SourceFormat::kKineto) {
    AddFrames(model);
  }
}

int CallSites::NumberOf(SiteName name) {
  if (name.path.empty()) return -1;
  const auto [it, is_new] =
      numbers_.try_emplace(name.path, static_cast<int>(names_.size()));
  if (is_new) names_.push_back(std::move(name));
  return it->second;
}

void CallSites::AddRecorded(const TraceModel& model) {
  std::vector<std::optional<int>> numbers(model.sites.size());
  for (const CallSite& site : process_.call_sites) {
    std::optional<int>& number = numbers[site.site.value()];
    if (!number) number = NumberOf(NameOfSite(model.sites[site.site.value()]));
    recorded_[{site.thread.value(), site.begin_ticks}] = *number;
  }
}

// Ranges and calls are both in order of thread and begin.
void CallSites::AddFrames(const TraceModel& model) {
  std::vector<const Range*> open;
  absl::flat_hash_map<size_t, std::optional<SiteFrame>> frames;  // by name
  by_call_.assign(process_.calls.size(), -1);
  size_t next = 0;
  for (size_t i = 0; i < process_.calls.size(); ++i) {
    const Call& call = process_.calls[i];
    const auto is_before = [&call](const Range& range) {
      return range.thread < call.thread ||
             (range.thread == call.thread && range.begin_ns <= call.begin_ns);
    };
    for (; next < process_.ranges.size() && is_before(process_.ranges[next]);
         ++next) {
      const Range& range = process_.ranges[next];
      if (range.kind == RangeKind::kPython) open.push_back(&range);
    }
    std::erase_if(open, [&call](const Range* range) {
      return range->thread != call.thread || range->end_ns <= call.begin_ns;
    });
    LaunchSite site;
    site.kind = SiteKind::kPython;
    for (auto range = open.rbegin(); range != open.rend(); ++range) {
      const TextId name = (*range)->name;
      const auto [it, is_new] = frames.try_emplace(name.value());
      if (is_new) it->second = FrameOfName(model.texts[name]);
      if (it->second) site.frames.push_back(*it->second);
    }
    by_call_[i] = NumberOf(NameOfPython(site));
  }
}

int CallSites::Of(CallId call) const {
  if (!call.known() || !any()) return -1;
  if (!by_call_.empty()) return by_call_[call.value()];
  const Call& of = process_.calls[call.value()];
  const auto found = recorded_.find({of.thread.value(), of.begin_ticks});
  return found != recorded_.end() ? found->second : -1;
}

}  // namespace dltap::analyzer
