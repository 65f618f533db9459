// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target without a fuzzer: on every file of a corpus directory and
// on many mutations of each, the same ones every time.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Bytes = std::vector<uint8_t>;

Bytes ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

void Mutate(Bytes& bytes, std::mt19937& random) {
  const auto at = [&] { return random() % bytes.size(); };
  for (uint32_t i = 0, count = 1 + random() % 8; i < count; ++i) {
    if (bytes.empty()) return;
    switch (random() % 6) {
      case 0: bytes[at()] ^= 1 << random() % 8; break;
      case 1: bytes[at()] = static_cast<uint8_t>(random()); break;
      case 2: bytes[at()] = random() % 2 == 0 ? 0 : 0xFF; break;
      case 3: bytes.resize(at()); break;
      case 4: bytes.erase(bytes.begin() + at()); break;
      case 5: {
        const size_t from = at(), to = at();
        const size_t count_bytes =
            std::min({bytes.size() - from, bytes.size() - to, size_t{64}});
        std::copy_n(Bytes(bytes.begin() + from, bytes.end()).begin(),
                    count_bytes, bytes.begin() + to);
        break;
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: replay CORPUS_DIRECTORY MUTATIONS\n", stderr);
    return 2;
  }
  const int mutations = std::atoi(argv[2]);
  int inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    const Bytes seed = ReadFile(entry.path());
    LLVMFuzzerTestOneInput(seed.data(), seed.size());
    std::mt19937 random(1);
    for (int i = 0; i < mutations; ++i) {
      Bytes bytes = seed;
      Mutate(bytes, random);
      LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    }
    inputs += 1 + mutations;
  }
  std::printf("%d inputs\n", inputs);
  return inputs == 0 ? 1 : 0;
}
