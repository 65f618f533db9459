// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_QUERY_QUESTION_H_
#define DLTAP_ANALYZER_QUERY_QUESTION_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dltap::analyzer {

enum class ParameterType : uint8_t { kInteger, kReal, kText };
std::string_view Name(ParameterType type);

struct Parameter {
  std::string name;
  ParameterType type;
  std::string value;  // by default
  std::string help;
};

// One of the .sql files here: a query with a head of comments, which README.md
// describes.
struct Question {
  std::string name;
  std::string sentence;
  std::vector<std::string> examples;
  std::vector<Parameter> parameters;
  std::vector<std::string> tables;  // that it reads
  std::string sql;                  // with {{marks}}
};

// Error: what is wrong with the head.
absl::StatusOr<Question> ParseQuestion(std::string_view name,
                                       std::string_view text);

// A file of this folder, as the program holds it.
struct QueryFile {
  std::string_view name;  // "late", "include/taken"
  std::string_view text;
};
std::span<const QueryFile> QueryFiles();

// All of them, by name.
const std::vector<Question>& AllQuestions();
const Question* FindQuestion(std::string_view name);

enum class Includes : uint8_t {
  kInPlace,
  kKept,  // in tables, by SqlToKeep
};

// The query as engines take it: includes in place, parameters as literals of
// their types. Error: a setting that is none of the question's parameters, or
// no value of its type.
absl::StatusOr<std::string> SqlOf(
    const Question& question,
    const std::map<std::string, std::string>& settings,
    Includes includes = Includes::kInPlace);

// Statements for DuckDB that keep what the questions include in tables, so that
// it is worked out once. `settings`: run, from_step, to_step.
absl::StatusOr<std::vector<std::string>> SqlToKeep(
    const std::map<std::string, std::string>& settings);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_QUERY_QUESTION_H_
