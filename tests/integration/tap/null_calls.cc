// SPDX-License-Identifier: Apache-2.0
// null_calls LIBRARY < NAMES: calls every named function of a library, found by
// dlsym, with zeros for arguments, each in a process of its own. Prints for
// each: name, what became of the call, the file that holds the called code.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

namespace {

// More than any vendor function takes; the rest is never looked at.
using Function = long (*)(long, long, long, long, long, long, long, long, long,
                          long, long, long, long, long, long, long, long, long,
                          long, long, long, long, long, long, long, long);

constexpr unsigned kHangSeconds = 20;

// "returned 3", "signal 11" (also of a hang), "exit 1".
std::string Outcome(Function function) {
  int channel[2];
  if (pipe(channel) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    alarm(kHangSeconds);
    const long result = function(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    const int value = static_cast<int>(result);
    _exit(write(channel[1], &value, sizeof(value)) == sizeof(value) ? 0 : 1);
  }
  close(channel[1]);
  int value = 0;
  const bool returned = read(channel[0], &value, sizeof(value)) > 0;
  close(channel[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  if (returned) return "returned " + std::to_string(value);
  return "exit " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

int main(int argc, char** argv) {
  void* library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (library == nullptr) {
    std::cerr << "usage: null_calls LIBRARY < NAMES; "
              << (argc == 2 ? dlerror() : "") << '\n';
    return 2;
  }
  for (std::string name; std::getline(std::cin, name);) {
    void* symbol = dlsym(library, name.c_str());
    Dl_info info = {};
    if (symbol == nullptr || dladdr(symbol, &info) == 0) {
      std::cout << name << "\tnot found\t-" << std::endl;
      continue;
    }
    std::cout << name << '\t' << Outcome(reinterpret_cast<Function>(symbol))
              << '\t' << info.dli_fname << std::endl;
  }
}
