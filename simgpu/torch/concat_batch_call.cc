// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "simgpu/torch/computation.h"
#include "simgpu/torch/families.h"

namespace dltap::simgpu {
namespace {

// CatArrayBatchedCopy..<OpaqueType<bytes>, unsigned int, dimensions, most,
// ..[, elements of a vector]>: what the name tells.
struct Batch {
  size_t element_bytes;
  ScalarType type;
  size_t dimensions;
  size_t most;     // inputs of a launch
  int64_t vector;  // elements that the sizes of the output are counted in
};

// One input: `outer` pieces of `piece` elements side by side, each to its place
// in a row of the output.
struct Piece {
  const std::byte* from;
  int64_t outer;
  int64_t piece;
  int64_t place;
};

// {T const* input[most]; unsigned offset[most], size[most], elements[most];
// bool contiguous[most]; ...}
struct Metadata {
  const std::byte* begin;
  size_t most;

  int64_t Number(size_t table, size_t input) const {
    return ReadAt<uint32_t>(begin + most * (sizeof(void*) + table * 4) +
                            input * 4);
  }
  int64_t offset(size_t input) const { return Number(0, input); }
  int64_t size(size_t input) const { return Number(1, input); }
  int64_t elements(size_t input) const { return Number(2, input); }
  bool contiguous(size_t input) const {
    return ReadAt<bool>(begin + most * (sizeof(void*) + 12) + input);
  }
  const std::byte* address(size_t input) const {
    return ReadAt<const std::byte*>(begin + input * sizeof(void*));
  }
};

// The output's {unsigned size[4], stride[4]}: elements of a row (of all that
// lies behind the dimension of the inputs), and of one step in that dimension.
// False: it does not lie in one piece.
bool ReadOutput(const Batch& batch, const LaunchView& launch, int64_t* row,
                int64_t* step) {
  const std::byte* sizes = Bytes(launch.arguments[2]);
  const auto dimension = ReadAt<int32_t>(launch.arguments[3]);
  if (dimension < 0 || dimension >= static_cast<int32_t>(batch.dimensions)) {
    return false;
  }
  int64_t stride = 1;
  int64_t behind = 1;
  for (size_t i = batch.dimensions; i-- > 0;) {
    if (ReadAt<uint32_t>(sizes + 16 + i * 4) != stride) return false;
    const int64_t size = ReadAt<uint32_t>(sizes + i * 4);
    if (static_cast<int32_t>(i) > dimension) behind *= size;
    if (static_cast<int32_t>(i) == dimension) *row = stride * size;
    stride *= size;
  }
  *row *= batch.vector;
  *step = batch.vector > 1 ? int64_t{ReadAt<uint32_t>(launch.arguments[4])}
                           : behind;
  return *row > 0 && *step > 0;
}

std::vector<Piece> PiecesOf(const Batch& batch, const LaunchView& launch,
                            int64_t* row) {
  int64_t step = 0;
  std::vector<Piece> pieces;
  if (!ReadOutput(batch, launch, row, &step)) return pieces;
  const Metadata metadata{Bytes(launch.arguments[1]), batch.most};
  for (size_t i = 0; i < launch.grid.y; ++i) {
    const Piece piece{.from = metadata.address(i),
                      .outer = metadata.elements(i) /
                               std::max<int64_t>(1, metadata.size(i) * step),
                      .piece = metadata.size(i) * step,
                      .place = metadata.offset(i) * step};
    if (!metadata.contiguous(i) || piece.piece < 1 ||
        piece.outer * piece.piece != metadata.elements(i) ||
        piece.place + piece.piece > *row) {
      return {};
    }
    pieces.push_back(piece);
  }
  return pieces;
}

DecodedLaunch Concatenate(const Batch& batch, const LaunchView& launch) {
  int64_t row = 0;
  std::vector<Piece> pieces = PiecesOf(batch, launch, &row);
  if (pieces.empty()) return {};
  const size_t bytes = batch.element_bytes;
  auto* to = ReadAt<std::byte*>(launch.arguments[0]);
  std::vector<Range> inputs;
  int64_t elements = 0;
  for (const Piece& piece : pieces) {
    const int64_t count = piece.outer * piece.piece;
    inputs.push_back({const_cast<std::byte*>(piece.from),
                      static_cast<size_t>(count) * bytes});
    elements += count;
  }
  const int64_t all = pieces[0].outer * row;
  const Range output{to, static_cast<size_t>(all) * bytes};
  return Computed({.elements = elements,
                   .type = batch.type,
                   .inputs = std::move(inputs),
                   .outputs = {{output, batch.type, elements == all}},
                   .compute = [=, pieces = std::move(pieces)] {
                     const auto step = static_cast<int64_t>(bytes);
                     for (const Piece& piece : pieces) {
                       for (int64_t i = 0; i < piece.outer; ++i) {
                         std::memmove(to + (i * row + piece.place) * step,
                                      piece.from + i * piece.piece * step,
                                      static_cast<size_t>(piece.piece) * bytes);
                       }
                     }
                   }});
}

// (output*, metadata, sizes and strides of the output, int dimension, unsigned
// stride of it, or elements of a step): a row of blocks for each input.
DecodedLaunch Decode(const Batch& batch, const LaunchView& launch) {
  if (launch.grid.y > batch.most) return {};
  const Metadata metadata{Bytes(launch.arguments[1]), batch.most};
  int64_t elements = 0;
  for (size_t i = 0; i < launch.grid.y; ++i) elements += metadata.elements(i);
  DecodedLaunch decoded = Concatenate(batch, launch);
  Operand operand{
      .range = {ReadAt<std::byte*>(launch.arguments[0]),
                static_cast<size_t>(elements) * batch.element_bytes},
      .elements = elements,
      .element_bytes = batch.element_bytes,
      .access = Operand::kWrite};
  decoded.Add(operand);
  // The first input; the others lie elsewhere.
  operand.range = {
      ReadAt<std::byte*>(metadata.begin),
      static_cast<size_t>(metadata.elements(0)) * batch.element_bytes};
  operand.access = Operand::kRead;
  decoded.Add(operand);
  return decoded;
}

}  // namespace

Decoder ConcatBatchDecoder(const NameParts& kernel) {
  const auto& arguments = kernel.arguments;
  if (arguments.size() < 4 || arguments[1] != "unsigned int") return {};
  const bool vectors =
      kernel.name.ends_with("_vectorized") && arguments.size() > 6;
  const Batch batch{
      .element_bytes = SizeOfNamed(arguments[0]),
      .type = MovedType(arguments[0]),
      .dimensions = NumberIn(arguments[2]),
      .most = NumberIn(arguments[3]),
      .vector = vectors ? static_cast<int64_t>(NumberIn(arguments[6])) : 1};
  if (batch.element_bytes == 0 || batch.dimensions < 1 ||
      batch.dimensions > 4 || batch.vector < 1) {
    return {};
  }
  return DecodeBy(Decode, batch);
}

}  // namespace dltap::simgpu
