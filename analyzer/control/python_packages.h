// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CONTROL_PYTHON_PACKAGES_H_
#define DLTAP_ANALYZER_CONTROL_PYTHON_PACKAGES_H_

#include <filesystem>
#include <vector>

#include "analyzer/control/run_environment.h"

// Where a command's Python has its packages, as far as files tell: nothing is
// run.
namespace dltap::analyzer {

bool IsPython(const std::filesystem::path& path);

// Follows "#!", whose /usr/bin/env names the interpreter by its first word, and
// the shims of pyenv to the version that is chosen.
std::filesystem::path InterpreterOf(const std::filesystem::path& script,
                                    const Environment& environment);

// Folders that may hold packages of that interpreter, as site.py and PEP 405
// have them: of PYTHONPATH, of the user, of its virtual environment and of what
// that is made from, of Debian, and those that *.pth files name. They exist.
std::vector<std::filesystem::path> PackageFolders(
    const std::filesystem::path& python, const Environment& environment);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CONTROL_PYTHON_PACKAGES_H_
