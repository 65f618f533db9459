// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/file_bytes.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/temp_dir.h"

namespace dltap::analyzer {
namespace {

std::string Plain() {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += std::to_string(i * 7919) + "\n";
  return text;
}

std::string Gzipped(const TempDir& dir, const std::string& text) {
  const std::string path = dir.path() + "/whole.gz";
  const gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(ReadFileBytesTest, ReadsPlainAndGzippedFiles) {
  const TempDir dir;
  const std::string zipped = Gzipped(dir, Plain());
  EXPECT_EQ(*ReadFileBytes(dir.Write("plain", Plain())), Plain());
  EXPECT_EQ(*ReadFileBytes(dir.Write("zipped", zipped)), Plain());
  EXPECT_EQ(*ReadFileBytes(dir.Write("empty", std::string_view())), "");
}

TEST(ReadFileBytesTest, TruncatedGzipIsAnError) {
  const TempDir dir;
  const std::string zipped = Gzipped(dir, Plain());
  for (const size_t size :
       {zipped.size() - 1, zipped.size() - 8, zipped.size() / 2, size_t{20}}) {
    const auto bytes = ReadFileBytes(dir.Write("cut", zipped.substr(0, size)));
    ASSERT_FALSE(bytes.ok()) << size << " of " << zipped.size();
    EXPECT_EQ(bytes.status().code(), absl::StatusCode::kDataLoss);
  }
}

TEST(ReadFileBytesTest, DamagedGzipIsAnError) {
  const TempDir dir;
  std::string zipped = Gzipped(dir, Plain());
  zipped[zipped.size() / 2] ^= 0x55;
  EXPECT_FALSE(ReadFileBytes(dir.Write("damaged", zipped)).ok());
}

TEST(ReadFileBytesTest, RefusesToInflateBeyondTheLimit) {
  const TempDir dir;
  const std::string bomb = Gzipped(dir, std::string(4 << 20, 'x'));
  const auto bytes = ReadFileBytes(dir.Write("bomb", bomb), 1 << 20);
  EXPECT_EQ(bytes.status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(ReadFileBytesTest, MissingFileIsNotFound) {
  EXPECT_EQ(ReadFileBytes("/no/such/file").status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace dltap::analyzer
