// SPDX-License-Identifier: Apache-2.0
#include "simgpu/torch/kernel_name.h"

#include <cxxabi.h>

#include <charconv>
#include <cstdlib>
#include <memory>

namespace dltap::simgpu {
namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)::";
constexpr std::string_view kLambda = "{lambda(";

bool Opens(char c) { return c == '<' || c == '(' || c == '{'; }
bool Closes(char c) { return c == '>' || c == ')' || c == '}'; }

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// The elements of a list "a, b<c, d>, e)" whose opening bracket was consumed.
// `*rest` is what follows the closing one.
std::vector<std::string_view> TakeList(std::string_view text,
                                       std::string_view* rest) {
  std::vector<std::string_view> elements;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool ends = depth == 0 && (c == ',' || Closes(c));
    if (ends) {
      const std::string_view element = Trim(text.substr(begin, i - begin));
      if (!element.empty()) elements.push_back(element);
      begin = i + 1;
      if (c == ',') continue;
      *rest = text.substr(i + 1);
      return elements;
    }
    depth += Opens(c) ? 1 : Closes(c) ? -1 : 0;
  }
  *rest = {};
  return elements;
}

// "std::vector<int>::f" up to the first bracket that is not a namespace's.
size_t EndOfName(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    if (text.substr(at).starts_with(kAnonymous)) {
      at += kAnonymous.size();
    } else if (text[at] == '<' || text[at] == '(' || text[at] == '{') {
      break;
    } else {
      ++at;
    }
  }
  return at;
}

std::vector<LambdaName> TakeLambdas(std::string_view text) {
  std::vector<LambdaName> lambdas;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (depth == 0 && text.substr(i).starts_with(kLambda)) {
      LambdaName lambda;
      std::string_view rest;
      lambda.parameters = TakeList(text.substr(i + kLambda.size()), &rest);
      if (rest.starts_with('#')) lambda.number = NumberIn(rest.substr(1));
      lambdas.push_back(std::move(lambda));
      i = text.size() - rest.size();
      while (i < text.size() && text[i] != '}') ++i;
      continue;
    }
    depth += Opens(text[i]) ? 1 : Closes(text[i]) ? -1 : 0;
  }
  return lambdas;
}

}  // namespace

std::string Demangle(const char* mangled_name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled_name, nullptr, nullptr, &status), &std::free);
  return status == 0 && text != nullptr ? text.get() : "";
}

NameParts TakeApart(std::string_view text) {
  constexpr std::string_view kVoid = "void ";
  if (text.starts_with(kVoid)) text.remove_prefix(kVoid.size());
  NameParts parts;
  const size_t end = EndOfName(text);
  const std::string_view path = text.substr(0, end);
  const size_t last = path.rfind("::");
  const size_t name = last == std::string_view::npos ? 0 : last + 2;
  parts.scope = path.substr(0, name);
  parts.name = path.substr(name);
  std::string_view rest = text.substr(end);
  if (rest.starts_with('<')) {
    parts.arguments = TakeList(rest.substr(1), &rest);
  }
  parts.lambdas = TakeLambdas(rest);
  if (rest.starts_with('(')) {
    parts.parameters = TakeList(rest.substr(1), &rest);
  }
  return parts;
}

size_t NumberIn(std::string_view text) {
  size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace dltap::simgpu
