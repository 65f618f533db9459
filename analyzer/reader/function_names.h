// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_FUNCTION_NAMES_H_
#define DLTAP_ANALYZER_READER_FUNCTION_NAMES_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dltap::analyzer {

// Names of native functions, from the symbol tables of the files that a trace
// names, if they lie on this machine and are those that ran: the build id says
// so. Files are read when they are first asked for, and then given back.
class FunctionNames {
 public:
  // Of the call that returns to `address` in the object, demangled. Empty: the
  // file is not here, or has no symbol for it.
  std::string At(const std::string& object, const std::string& build_id,
                 uint64_t address);

 private:
  struct Function {
    uint64_t begin;
    uint64_t end;
    std::string name;
  };
  using Functions = std::vector<Function>;  // sorted

  static Functions Read(const std::string& object, const std::string& build_id);
  template <typename Section, typename Data>
  static void AddSymbols(const Section& table, const Section& names,
                         const Data& bytes, Functions& out);

  std::map<std::pair<std::string, std::string>, Functions> objects_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_FUNCTION_NAMES_H_
