// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_IMPORTERS_IMPORT_CONTEXT_H_
#define DLTAP_ANALYZER_IMPORTERS_IMPORT_CONTEXT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace dltap::analyzer {

// Where an importer tells what it could not read and how far it is.
struct ImportContext {
  // What was left out of a readable trace, a line each; may be null.
  std::vector<std::string>* problems = nullptr;
  // Called now and then with the part of the file that is done, 0 to 1; may be
  // empty.
  std::function<void(double part)> progress;

  void Problem(std::string line) const {
    if (problems != nullptr) problems->push_back(std::move(line));
  }
  void Progress(double part) const {
    if (progress) progress(part);
  }
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_IMPORT_CONTEXT_H_
