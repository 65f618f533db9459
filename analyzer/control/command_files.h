// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CONTROL_COMMAND_FILES_H_
#define DLTAP_ANALYZER_CONTROL_COMMAND_FILES_H_

#include <filesystem>
#include <string>
#include <vector>

#include "analyzer/control/run_environment.h"

// The files behind a command's words. Nothing is run.
namespace dltap::analyzer {

// The first `limit` bytes of a file; empty where it cannot be read.
std::string ReadText(const std::filesystem::path& path, size_t limit);

// The parts that are not empty.
std::vector<std::string> Split(const std::string& text, char separator);

// Empty: unset.
std::string VariableOf(const Environment& environment, const std::string& name);

// "1", "on", ...: as the tap reads its variables.
bool SaysYes(const std::string& value);

// The file that a word of the command runs; empty: none.
std::filesystem::path Executable(const std::string& word,
                                 const Environment& environment);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CONTROL_COMMAND_FILES_H_
