// SPDX-License-Identifier: Apache-2.0
// Packed traces: bytes come back, damage is told, bombs are refused.
#include "analyzer/reader/pack/pack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "analyzer/reader/trace_reader.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_bytes.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

using testing::HasSubstr;

class PackTest : public testing::Test {
 protected:
  std::string PackOf(const std::map<std::string, std::string>& files) {
    std::vector<std::string> paths;
    for (const auto& [name, bytes] : files) {
      paths.push_back(dir_.Write(name, bytes));
    }
    const std::string target = dir_.path() + "/t.dltappack";
    std::filesystem::remove(target);
    const absl::Status status = Pack(paths, target);
    EXPECT_TRUE(status.ok()) << status;
    return target;
  }
  static absl::StatusOr<std::map<std::string, std::string>> Read(
      const std::string& pack) {
    std::map<std::string, std::string> files;
    const absl::Status status =
        Unpack(pack, [&](const PackedFile& file) -> absl::StatusOr<ByteSink> {
          std::string& bytes = files[file.name];
          return ByteSink([&bytes](std::string_view piece) {
            bytes.append(piece);
            return absl::OkStatus();
          });
        });
    if (!status.ok()) return status;
    return files;
  }
  static std::string Load(const std::string& path) {
    std::stringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    return bytes.str();
  }

  TempDir dir_;
};

std::string TraceOfCalls(int count) {
  trace::TraceBytes trace;
  trace.Entry(16, "cudaLaunchKernel", {{"func", 0, 8}});
  for (int block = 0; block < count; block += 100) {
    std::vector<trace::CallFields> calls;
    for (int i = 0; i < 100; ++i) {
      const auto n = static_cast<uint64_t>(block + i);
      calls.push_back({.begin_ticks = 1000 * n + n % 7,
                       .duration_ticks = n % 50 == 0 ? 5'000'000'000 : 200 + n,
                       .entry_point = 16,
                       .flags = 0});
    }
    trace.Calls(0, static_cast<uint64_t>(block), calls);
  }
  return {trace.bytes().begin(), trace.bytes().end()};
}

TEST_F(PackTest, BytesComeBackWhateverTheyAre) {
  std::string noise;
  for (uint32_t i = 0; i < 300'000; ++i) {
    noise += static_cast<char>((i * 2654435761u) >> 24);
  }
  const std::map<std::string, std::string> files = {
      {"a.dltap", TraceOfCalls(5000)},
      {"cut.dltap", TraceOfCalls(5000).substr(0, 100'001)},
      {"empty.dltap", ""},
      {"noise.dltap", noise},
      {"zeros.ring", std::string(3 << 20, '\0')}};
  const auto read = Read(PackOf(files));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(*read == files);
}

TEST_F(PackTest, CallsTakeFewBytes) {
  const std::string pack = PackOf({{"a.dltap", TraceOfCalls(20'000)}});
  EXPECT_LT(std::filesystem::file_size(pack), 20'000 * 4);
}

TEST_F(PackTest, ReadsAsTheTraceItWas) {
  const std::string bytes = TraceOfCalls(1000);
  const std::string pack = PackOf({{"a.dltap", bytes}});
  std::vector<std::string> problems;
  const auto packed = ReadTrace({pack}, &problems);
  const auto plain = ReadTrace({dir_.path() + "/a.dltap"}, &problems);
  ASSERT_TRUE(packed.ok() && plain.ok()) << packed.status() << plain.status();
  EXPECT_EQ(TextFromTrace(*packed), TextFromTrace(*plain));
}

TEST_F(PackTest, EveryCutAndEveryFlippedByteIsAnErrorOrHarmless) {
  const std::string whole = TraceOfCalls(200);
  const std::string pack = Load(PackOf({{"a.dltap", whole}}));
  for (size_t i = 0; i < pack.size(); ++i) {
    EXPECT_FALSE(Read(dir_.Write("cut", pack.substr(0, i))).ok()) << i;
    std::string flipped = pack;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x41);
    const auto read = Read(dir_.Write("flipped", flipped));
    if (!read.ok() || read->empty()) continue;
    // The frame's own padding, or the name.
    EXPECT_TRUE(read->begin()->second == whole) << i;
  }
}

TEST_F(PackTest, BombsAreRefused) {
  std::string pack = Load(PackOf({{"a.dltap", TraceOfCalls(200)}}));
  const uint64_t huge = uint64_t{1} << 40;
  constexpr size_t kSizeOffset = 16 + 8;
  std::memcpy(&pack[kSizeOffset], &huge, sizeof(huge));
  const auto read = Read(dir_.Write("bomb", pack));
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(std::string(read.status().message()),
              HasSubstr("claims to hold more"));
}

TEST_F(PackTest, NamesStayInTheirFolder) {
  std::string pack = Load(PackOf({{"abcdefg", "x"}}));
  pack.replace(pack.find("abcdefg"), 7, "../../x");
  EXPECT_FALSE(Read(dir_.Write("names", pack)).ok());
}

}  // namespace
}  // namespace dltap::analyzer
