// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/attribution/names/name_rules.h"

namespace dltap::analyzer {
namespace {

// "<unnamed>" is how Nsight Systems writes it.
constexpr std::string_view kAnonymous[] = {"(anonymous namespace)::",
                                           "<unnamed>::"};

bool IsElementType(std::string_view text) {
  constexpr std::string_view kTypes[] = {"bool",
                                         "char",
                                         "signed char",
                                         "short",
                                         "int",
                                         "long",
                                         "float",
                                         "double",
                                         "unsigned char",
                                         "unsigned int",
                                         "unsigned long",
                                         "c10::Half",
                                         "__half",
                                         "__nv_bfloat16",
                                         "c10::BFloat16",
                                         "half",
                                         "cutlass::half_t",
                                         "cutlass::bfloat16_t",
                                         "true",
                                         "false"};
  return std::find(std::begin(kTypes), std::end(kTypes), text) !=
         std::end(kTypes);
}

// A functor of these counts or points: of networks' values it knows nothing.
bool IsIntegerType(std::string_view text) {
  constexpr std::string_view kTypes[] = {"signed char", "unsigned char",
                                         "short", "int", "long"};
  return std::find(std::begin(kTypes), std::end(kTypes), text) !=
         std::end(kTypes);
}

bool IsValue(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('*') || text.ends_with('&')) {
    text.remove_suffix(1);
  }
  if (text.ends_with(" const")) text.remove_suffix(6);
  if (text.empty()) return true;
  const char first = text[0] == '-' && text.size() > 1 ? text[1] : text[0];
  return std::isdigit(static_cast<unsigned char>(first)) != 0 ||
         IsElementType(text);
}

class PathBuilder {
 public:
  explicit PathBuilder(std::string_view name) : rest_(name) {}

  std::string Run() {
    while (!rest_.empty() && Take()) {
    }
    return std::move(path_);
  }

 private:
  // False: the name ends here.
  bool Take() {
    // nvcc's own name of a file's anonymous namespace.
    if (rest_.starts_with("_INTERNAL_")) {
      const size_t end = rest_.find("::");
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size()
                                                        : end + 2);
      return true;
    }
    for (std::string_view anonymous : kAnonymous) {
      if (rest_.starts_with(anonymous)) {
        rest_.remove_prefix(anonymous.size());
        return true;
      }
    }
    const char c = rest_.front();
    rest_.remove_prefix(1);
    switch (c) {
      case '(': return SkipParameters();
      case '<': Open(); break;
      case ',': Close(); break;
      case '>': CloseLast(); break;
      case ' ':
        // Before it stood the return type.
        if (arguments_.empty()) {
          path_.clear();
        } else if (path_.size() > arguments_.back()) {
          path_ += c;
        }
        break;
      default: path_ += c;
    }
    return true;
  }

  // What a function is called with says nothing of what it does; but that a
  // lambda is of integers.
  bool SkipParameters() {
    int depth = 1;
    size_t length = 0;
    for (; length < rest_.size() && depth > 0; ++length) {
      depth += rest_[length] == '(' ? 1 : rest_[length] == ')' ? -1 : 0;
    }
    const std::string_view list =
        rest_.substr(0, length - (depth == 0 ? 1 : 0));
    if (path_.ends_with("{lambda") && IsIntegerType(list)) {
      path_.append("(").append(list).append(")");
    }
    rest_.remove_prefix(length);
    const bool is_last = arguments_.empty() && !rest_.starts_with("::");
    return !is_last;
  }

  void Open() {
    path_ += '<';
    arguments_.push_back(path_.size());
  }

  // The end of one template argument.
  void Close() {
    if (arguments_.empty()) {
      path_ += ',';
      return;
    }
    const std::string_view argument =
        std::string_view(path_).substr(arguments_.back());
    if (IsValue(argument)) {
      path_.resize(arguments_.back());
      return;
    }
    path_ += ',';
    arguments_.back() = path_.size();
  }

  void CloseLast() {
    if (arguments_.empty() || path_.ends_with('-')) {  // an arrow
      path_ += '>';
      return;
    }
    Close();
    if (path_.ends_with(',')) path_.pop_back();
    path_ += '>';
    arguments_.pop_back();
  }

  std::string_view rest_;
  std::string path_;
  std::vector<size_t> arguments_;  // where the open lists' last ones begin
};

std::string_view WithoutNumber(std::string_view name) {
  const size_t last = name.find_last_not_of("0123456789");
  const bool numbered = last != std::string_view::npos &&
                        last + 1 < name.size() && name[last] == '_';
  return numbered ? name.substr(0, last) : name;
}

}  // namespace

bool IsCast(std::string_view demangled) {
  const auto has = [demangled](std::string_view part) {
    return demangled.find(part) != std::string_view::npos;
  };
  if (has("direct_copy_kernel") && has("LoadWithCast")) return true;
  return has("float16_copy_kernel") || has("float32_copy_kernel") ||
         has("float8_copy_kernel") || has("converting_copy_kernel");
}

std::string KernelPath(std::string_view demangled) {
  if (demangled.starts_with("triton_")) demangled = WithoutNumber(demangled);
  return PathBuilder(demangled).Run();
}

}  // namespace dltap::analyzer
