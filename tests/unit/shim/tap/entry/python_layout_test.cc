// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/python_layout.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace dltap::shim {
namespace {

// A str whose characters lie in it, as CPython has it.
class Str {
 public:
  Str(const PythonLayout& layout, const std::vector<uint32_t>& characters,
      uint32_t width)
      : bytes_(128 + characters.size() * width) {
    const uint64_t length = characters.size();
    const uint32_t state = width << 2 | 1 << 5;
    memcpy(&bytes_[kPythonTextLength], &length, sizeof(length));
    memcpy(&bytes_[kPythonTextState], &state, sizeof(state));
    uint8_t* at = &bytes_[static_cast<size_t>(layout.compact_bytes)];
    for (const uint32_t character : characters) {
      memcpy(at, &character, width);
      at += width;
    }
  }
  uintptr_t at() const { return reinterpret_cast<uintptr_t>(bytes_.data()); }

 private:
  std::vector<uint8_t> bytes_;
};

class PythonLayoutTest : public ::testing::TestWithParam<int> {
 protected:
  PythonLayoutTest()
      : layout_(LayoutOfPython(3, GetParam())),
        memory_(std::make_unique<MemoryView>()) {}
  std::string Text(const Str& str, uint32_t most = 64) {
    memory_->Begin(getpid());
    std::vector<char> out(most);
    PythonText text = {};
    EXPECT_TRUE(LoadPythonText(*memory_, *layout_, str.at(), &text));
    const uint32_t used = ReadPythonText(*memory_, text, out.data(), most);
    return {out.data(), used};
  }
  std::string EndOf(const Str& str, uint32_t most) {
    memory_->Begin(getpid());
    std::vector<char> out(most);
    PythonText text = {};
    EXPECT_TRUE(LoadPythonText(*memory_, *layout_, str.at(), &text));
    const uint32_t used =
        ReadPythonText(*memory_, text.End(most), out.data(), most);
    return {out.data(), used};
  }

  const PythonLayout* layout_;
  std::unique_ptr<MemoryView> memory_;
};

TEST_P(PythonLayoutTest, TextIsUtf8) {
  EXPECT_EQ(Text(Str(*layout_, {'g', 'r', 0xF6, 0xDF, 'e'}, 1)),
            "gr\xC3\xB6\xC3\x9F"
            "e");
  EXPECT_EQ(Text(Str(*layout_, {0x20AC}, 2)), "\xE2\x82\xAC");
  EXPECT_EQ(Text(Str(*layout_, {0x1F600}, 4)), "\xF0\x9F\x98\x80");
}

// Of a file whose name is no UTF-8: b"caf\xe9.py" is 'caf\udce9.py'.
TEST_P(PythonLayoutTest, TheEndOfATextFits) {
  EXPECT_EQ(EndOf(Str(*layout_, {'a', 'b', 'c'}, 1), 6), "abc");
  EXPECT_EQ(EndOf(Str(*layout_, {'a', 'b', 0xF6}, 1), 4), "b\xC3\xB6");
  EXPECT_EQ(EndOf(Str(*layout_, {'a', 0x20AC, 0x20AC}, 2), 6),
            "\xE2\x82\xAC\xE2\x82\xAC");
  EXPECT_EQ(EndOf(Str(*layout_, {'a', 'b', 0x1F600}, 4), 8),
            "b\xF0\x9F\x98\x80");
}

TEST_P(PythonLayoutTest, ByteThatIsNoTextIsReplaced) {
  EXPECT_EQ(Text(Str(*layout_, {'f', 0xDCE9}, 2)), "f\xEF\xBF\xBD");
  EXPECT_EQ(Text(Str(*layout_, {0x110000}, 4)), "\xEF\xBF\xBD");
}

TEST_P(PythonLayoutTest, NoCharacterIsCut) {
  EXPECT_EQ(Text(Str(*layout_, {'a', 0x20AC}, 2), 3), "a");
}

TEST_P(PythonLayoutTest, ALengthThatCannotBeEndsWithTheMemory) {
  const Str str(*layout_, {'a'}, 1);
  const uint64_t length = ~uint64_t{0} >> 1;
  memcpy(reinterpret_cast<void*>(str.at() + kPythonTextLength), &length,
         sizeof(length));
  EXPECT_EQ(Text(str, 1), "a");
}

INSTANTIATE_TEST_SUITE_P(Minors, PythonLayoutTest, ::testing::Range(10, 15));

TEST(PythonLayoutsTest, OtherVersionsAreNotKnown) {
  EXPECT_EQ(LayoutOfPython(3, 9), nullptr);
  EXPECT_EQ(LayoutOfPython(3, 15), nullptr);
  EXPECT_EQ(LayoutOfPython(2, 14), nullptr);
}

}  // namespace
}  // namespace dltap::shim
