// SPDX-License-Identifier: Apache-2.0
#include "analyzer/query/question.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <regex>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "analyzer/output/near_names.h"

namespace dltap::analyzer {
namespace {

constexpr std::string_view kInclude = "include ";
// What they need stands before them; `roles` goes by what its question says.
constexpr std::string_view kKeptIncludes[] = {
    "taken", "step_places", "numbered", "fits", "arrivals", "pipeline"};

std::string FirstWord(std::string& rest) {
  const std::pair<std::string, std::string> parts =
      absl::StrSplit(rest, absl::MaxSplits(' ', 1));
  rest = std::string(absl::StripAsciiWhitespace(parts.second));
  return parts.first;
}

std::optional<ParameterType> TypeNamed(std::string_view name) {
  for (const ParameterType type :
       {ParameterType::kInteger, ParameterType::kReal, ParameterType::kText}) {
    if (name == Name(type)) return type;
  }
  return std::nullopt;
}

// "NAME TYPE DEFAULT what it means"; a text may stand in quotes.
std::optional<Parameter> ParseParameter(std::string rest) {
  Parameter parameter;
  parameter.name = FirstWord(rest);
  const auto type = TypeNamed(FirstWord(rest));
  if (!type) return std::nullopt;
  parameter.type = *type;
  parameter.value = FirstWord(rest);
  if (parameter.value == "\"\"") parameter.value.clear();
  parameter.help = rest;
  return parameter;
}

// False: it begins as one of the head does, and is none.
bool ParseHeadLine(const std::string& line, Question& question) {
  const std::pair<std::string, std::string> parts =
      absl::StrSplit(line, absl::MaxSplits(": ", 1));
  std::string rest(absl::StripAsciiWhitespace(parts.second));
  if (parts.first == "-- question") question.sentence = rest;
  if (parts.first == "-- example") question.examples.push_back(rest);
  if (parts.first == "-- uses") {
    question.tables = absl::StrSplit(rest, ' ', absl::SkipEmpty());
  }
  if (parts.first != "-- parameter") return true;
  auto parameter = ParseParameter(rest);
  if (!parameter) return false;
  question.parameters.push_back(*std::move(parameter));
  return true;
}

// Engines read quotes and backslashes in different ways: those go by their
// codes. scripts/dataset_query.py makes the same.
std::string TextLiteral(std::string_view value) {
  std::vector<std::string> parts;
  std::string plain;
  const auto end_plain = [&] {
    if (!plain.empty()) parts.push_back("'" + plain + "'");
    plain.clear();
  };
  for (const char c : value) {
    if (c == '\'' || c == '\\') {
      end_plain();
      parts.push_back(absl::StrCat("chr(", static_cast<int>(c), ")"));
    } else {
      plain += c;
    }
  }
  end_plain();
  return parts.empty()
             ? "''"
             : absl::StrCat("concat(", absl::StrJoin(parts, ", "), ")");
}

// Digits as both engines read them; with an exponent a real is a double to
// both, else a decimal.
std::optional<std::string> NumberLiteral(std::string value,
                                         ParameterType type) {
  static const std::regex integer("-?[0-9]{1,18}");
  static const std::regex real("-?[0-9]+(\\.[0-9]+)?(e-?[0-9]{1,2})?");
  const bool is_integer = type == ParameterType::kInteger;
  if (!std::regex_match(value, is_integer ? integer : real)) {
    return std::nullopt;
  }
  if (!is_integer && value.find('e') == std::string::npos) value += "e0";
  return value.front() == '-' ? "(" + value + ")" : value;
}

absl::StatusOr<std::string> Literal(const Parameter& parameter,
                                    const std::string& value) {
  if (parameter.type == ParameterType::kText) return TextLiteral(value);
  const auto number = NumberLiteral(value, parameter.type);
  if (number) return *number;
  return absl::InvalidArgumentError(absl::StrCat(
      parameter.name, "=", value, ": ", std::string(Name(parameter.type)),
      " is wanted (", parameter.help, ")"));
}

absl::StatusOr<std::string> IncludeNamed(std::string_view name) {
  const std::string path = absl::StrCat("include/", std::string(name));
  for (const QueryFile& file : QueryFiles()) {
    if (file.name == path) return std::string(file.text);
  }
  return absl::InternalError(absl::StrCat(
      "the query includes ", std::string(name), ", which is not there"));
}

std::string WithoutComments(std::string_view text) {
  std::string out;
  for (const absl::string_view line :
       absl::StrSplit(absl::string_view(text.data(), text.size()), '\n')) {
    if (!absl::StartsWith(line, "--")) absl::StrAppend(&out, line, "\n");
  }
  return out;
}

using ValueOfMark =
    std::function<absl::StatusOr<std::string>(const std::string& mark)>;

// Puts a value in place of each {{mark}}, in one pass.
absl::StatusOr<std::string> Fill(std::string_view text,
                                 const ValueOfMark& value_of) {
  std::string out;
  while (true) {
    const size_t open = text.find("{{");
    const size_t close = text.find("}}", open);
    if (close == std::string_view::npos) break;
    out += text.substr(0, open);
    const absl::StatusOr<std::string> value =
        value_of(std::string(text.substr(open + 2, close - open - 2)));
    if (!value.ok()) return value.status();
    out += *value;
    text.remove_prefix(close + 2);
  }
  out += text;
  return out;
}

// A common table expression: "taken", "taken AS (...)".
struct Expression {
  std::string name;
  std::string text;
};

std::vector<Expression> ExpressionsOf(std::string_view include) {
  static const std::regex head("(\\w+) AS \\(");
  std::vector<Expression> out;
  for (const absl::string_view line :
       absl::StrSplit(WithoutComments(include), '\n')) {
    std::smatch match;
    const std::string text(line);
    if (std::regex_match(text, match, head)) out.push_back({match[1], ""});
    if (!out.empty()) absl::StrAppend(&out.back().text, text, "\n");
  }
  for (Expression& expression : out) {
    absl::StripAsciiWhitespace(&expression.text);
    expression.text = std::string(absl::StripSuffix(expression.text, ","));
  }
  return out;
}

// From the table that SqlToKeep made.
std::string KeptExpression(const Expression& expression) {
  return absl::StrCat(expression.name, " AS (SELECT * FROM kept_",
                      expression.name, ")");
}

std::string KeptExpressions(std::string_view include) {
  std::vector<std::string> out;
  for (const Expression& expression : ExpressionsOf(include)) {
    out.push_back(KeptExpression(expression));
  }
  return absl::StrJoin(out, ",\n");
}

absl::StatusOr<std::string> WithIncludes(std::string_view sql,
                                         Includes includes) {
  return Fill(
      WithoutComments(sql),
      [includes](const std::string& mark) -> absl::StatusOr<std::string> {
        if (!mark.starts_with(kInclude)) return "{{" + mark + "}}";
        const std::string name = mark.substr(kInclude.size());
        const auto text = IncludeNamed(name);
        if (!text.ok()) return text.status();
        const bool is_kept =
            includes == Includes::kKept &&
            std::ranges::find(kKeptIncludes, name) != std::end(kKeptIncludes);
        return is_kept ? KeptExpressions(*text)
                       : std::string(absl::StripAsciiWhitespace(
                             WithoutComments(*text)));
      });
}

std::vector<Question> ParseAll() {
  std::vector<Question> out;
  for (const QueryFile& file : QueryFiles()) {
    if (file.name.find('/') != std::string_view::npos) continue;
    absl::StatusOr<Question> question = ParseQuestion(file.name, file.text);
    if (question.ok()) out.push_back(*std::move(question));
  }
  std::sort(out.begin(), out.end(), [](const Question& a, const Question& b) {
    return a.name < b.name;
  });
  return out;
}

}  // namespace

std::string_view Name(ParameterType type) {
  switch (type) {
    case ParameterType::kInteger: return "integer";
    case ParameterType::kReal: return "real";
    case ParameterType::kText: break;
  }
  return "text";
}

absl::StatusOr<Question> ParseQuestion(std::string_view name,
                                       std::string_view text) {
  Question question;
  question.name = name;
  size_t at = 0;
  while (text.substr(at).starts_with("-- ")) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line(text.substr(at, end - at));
    if (!ParseHeadLine(line, question)) {
      return absl::InvalidArgumentError(
          absl::StrCat(question.name, ": no parameter is declared by: ", line));
    }
    at = std::min(end + 1, text.size());
  }
  if (question.sentence.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(question.name, ": the head has no question"));
  }
  question.sql = text.substr(at);
  return question;
}

const std::vector<Question>& AllQuestions() {
  static const std::vector<Question> questions = ParseAll();
  return questions;
}

const Question* FindQuestion(std::string_view name) {
  for (const Question& question : AllQuestions()) {
    if (question.name == name) return &question;
  }
  return nullptr;
}

absl::StatusOr<std::string> SqlOf(
    const Question& question,
    const std::map<std::string, std::string>& settings, Includes includes) {
  std::map<std::string, std::string> literals;
  std::vector<std::string> known;
  for (const Parameter& parameter : question.parameters) {
    known.push_back(parameter.name);
    const auto set = settings.find(parameter.name);
    const auto literal = Literal(
        parameter, set == settings.end() ? parameter.value : set->second);
    if (!literal.ok()) return literal.status();
    literals[parameter.name] = *literal;
  }
  for (const auto& [name, value] : settings) {
    if (literals.contains(name)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        question.name, " has no parameter ", name, WhatThereIs(name, known)));
  }
  const absl::StatusOr<std::string> sql = WithIncludes(question.sql, includes);
  if (!sql.ok()) return sql.status();
  return Fill(
      *sql, [&](const std::string& mark) -> absl::StatusOr<std::string> {
        const auto found = literals.find(mark);
        if (found != literals.end()) return found->second;
        return absl::InternalError(absl::StrCat(question.name,
                                                " has no parameter ", mark,
                                                ", which its text uses"));
      });
}

absl::StatusOr<std::vector<std::string>> SqlToKeep(
    const std::map<std::string, std::string>& settings) {
  // One that has the parameters of the includes.
  Question keeping = *FindQuestion("collectives");
  std::vector<std::string> before;
  std::vector<std::string> out;
  for (const std::string_view include : kKeptIncludes) {
    const auto text = IncludeNamed(include);
    if (!text.ok()) return text.status();
    for (const Expression& expression : ExpressionsOf(*text)) {
      before.push_back(expression.text);
      keeping.sql = absl::StrCat("CREATE TEMP TABLE kept_", expression.name,
                                 " AS WITH ", absl::StrJoin(before, ",\n"),
                                 " SELECT * FROM ", expression.name);
      const auto sql = SqlOf(keeping, settings);
      if (!sql.ok()) return sql.status();
      out.push_back(*sql);
      before.back() = KeptExpression(expression);
    }
  }
  return out;
}

}  // namespace dltap::analyzer
