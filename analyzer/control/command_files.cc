// SPDX-License-Identifier: Apache-2.0
#include "analyzer/control/command_files.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace dltap::analyzer {

namespace fs = std::filesystem;

// Not by its size: files of /proc say 0.
std::string ReadText(const fs::path& path, size_t limit) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  char part[4096];
  while (text.size() < limit && (file.read(part, sizeof(part)), true) &&
         file.gcount() > 0) {
    text.append(part, static_cast<size_t>(file.gcount()));
  }
  text.resize(std::min(text.size(), limit));
  return text;
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

std::string VariableOf(const Environment& environment,
                       const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

bool SaysYes(const std::string& value) {
  return value == "1" || value == "on" || value == "true" || value == "yes";
}

// The file that a word of the command runs; empty: none.
fs::path Executable(const std::string& word, const Environment& environment) {
  std::error_code error;
  if (word.find('/') != std::string::npos) {
    return fs::is_regular_file(word, error) ? fs::path(word) : fs::path();
  }
  for (const std::string& folder :
       Split(VariableOf(environment, "PATH"), ':')) {
    const fs::path path = fs::path(folder) / word;
    if (fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0) {
      return path;
    }
  }
  return {};
}

}  // namespace dltap::analyzer
