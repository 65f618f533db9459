// SPDX-License-Identifier: Apache-2.0
#include "simgpu/launch/ptx.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>
#include <utility>

namespace dltap::simgpu {
namespace {

bool IsWordChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         c == '$' || c == '%' || c == '.';
}

// Words and single other characters, without comments.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  // Empty at the end.
  std::string_view Next() {
    SkipBlanks();
    if (at_ >= text_.size()) return {};
    const size_t begin = at_++;
    if (!IsWordChar(text_[begin])) return text_.substr(begin, 1);
    while (at_ < text_.size() && IsWordChar(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

 private:
  void SkipBlanks() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
        ++at_;
      } else if (text_.substr(at_, 2) == "//") {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.substr(at_, 2) == "/*") {
        at_ = std::min(text_.find("*/", at_), text_.size() - 2) + 2;
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  size_t at_ = 0;
};

// Bytes of ".u64", ".b8", ".f16x2", ...; 0: not a type.
size_t BytesOfType(std::string_view word) {
  if (word.size() < 3 || word[0] != '.') return 0;
  if (word == ".pred") return 1;
  if (std::string_view("bsuf").find(word[1]) == std::string_view::npos) {
    return 0;
  }
  const int bits = std::atoi(std::string(word.substr(2)).c_str());
  const size_t lanes = word.ends_with("x2") ? 2 : 1;
  return static_cast<size_t>(bits) / 8 * lanes;
}

struct Declaration {
  std::string name;
  size_t bytes = 0;
  size_t alignment = 1;
};

size_t NumberOf(std::string_view word) {
  return std::strtoull(std::string(word).c_str(), nullptr, 10);
}

// ".align 8 .b8 name[24]" up to, and without, a word of `ends`.
Declaration ReadDeclaration(Tokens& tokens, std::string_view ends,
                            std::string_view* end) {
  Declaration declaration;
  size_t element_bytes = 0;
  size_t count = 1;
  bool is_pointer = false;
  std::string_view word = tokens.Next();
  for (; !word.empty() && ends.find(word) == std::string_view::npos;
       word = tokens.Next()) {
    if (word == ".align") {
      const size_t alignment = NumberOf(tokens.Next());
      if (!is_pointer) declaration.alignment = alignment;
    } else if (word == ".ptr") {
      is_pointer = true;  // what follows is of what it points to
    } else if (const size_t bytes = BytesOfType(word); bytes > 0) {
      element_bytes = bytes;
    } else if (word == "[") {
      const std::string_view length = tokens.Next();
      if (length != "]") count *= NumberOf(length);
    } else if (word[0] != '.' && word[0] != ']') {
      declaration.name = word;
    }
  }
  declaration.bytes = element_bytes * count;
  declaration.alignment =
      std::max({declaration.alignment, element_bytes, size_t{1}});
  *end = word;
  return declaration;
}

// "name ( .param .u64 a, .param .u32 b )"; the parentheses may be missing.
ImageKernel ReadEntry(Tokens& tokens) {
  ImageKernel kernel;
  kernel.name = tokens.Next();
  kernel.parameters_known = true;
  if (tokens.Next() != "(") return kernel;
  size_t used = 0;
  for (std::string_view end = ","; end == ",";) {
    const Declaration parameter = ReadDeclaration(tokens, ",)", &end);
    if (parameter.bytes == 0) continue;
    used = (used + parameter.alignment - 1) / parameter.alignment *
           parameter.alignment;
    kernel.parameters.push_back({used, parameter.bytes});
    used += parameter.bytes;
  }
  return kernel;
}

}  // namespace

ImageContents ReadPtx(std::string_view text) {
  ImageContents contents;
  Tokens tokens(text);
  int depth = 0;
  for (std::string_view word = tokens.Next(); !word.empty();
       word = tokens.Next()) {
    if (word == "{") ++depth;
    if (word == "}") --depth;
    if (depth > 0) continue;  // instructions name spaces too
    if (word == ".entry") {
      ImageKernel kernel = ReadEntry(tokens);
      if (!kernel.name.empty()) contents.kernels.push_back(std::move(kernel));
    } else if (word == ".global" || word == ".const") {
      std::string_view end;
      const Declaration variable = ReadDeclaration(tokens, "=;", &end);
      contents.variables.push_back({variable.name, variable.bytes});
      // An initial value may hold braces.
      while (end == "=" && word != ";" && !word.empty()) word = tokens.Next();
    }
  }
  contents.complete = !contents.kernels.empty();
  return contents;
}

}  // namespace dltap::simgpu
