// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_FAMILIES_H_
#define DLTAP_SIMGPU_TORCH_FAMILIES_H_

#include "simgpu/torch/decoded_launch.h"
#include "simgpu/torch/kernel_name.h"

namespace dltap::simgpu {

// The families of kernels, each in the file of its name: ElementwiseDecoder in
// elementwise_call.cc. They take a kernel whose name the table in decoder.cc
// gives them, and return an empty decoder for one that they do not understand.

// PyTorch's x[index] += y where an index may stand twice, and bincount.
Decoder AccumulateDecoder(const NameParts& kernel);

// FlashAttention 2 and CUTLASS's memory-efficient attention as PyTorch brings
// them, from their parameter structs. A struct is believed only where it agrees
// with the geometry of the launch.
Decoder AttentionDecoder(const NameParts& kernel);

// PyTorch's own convolutions of each channel by itself, forward, by the data
// and by the weights: conv_depthwise2d_*, which get their dimensions as
// integers.
Decoder DepthwiseDecoder(const NameParts& kernel);

// take, put and put with accumulate. Gets the function of the kernel's lambda.
Decoder TakeDecoder(const NameParts& function);

// masked_scatter. Gets the function of the kernel's lambda.
Decoder MaskedScatterDecoder(const NameParts& function);

// Of tensors: PyTorch's CatArrayBatchedCopy and TensorFlow's
// concat_fixed_kernel and concat_variable_kernel (tf.concat, tf.stack). By such
// a stack of flags tf.function asks which of its variables are initialized.
Decoder ConcatDecoder(const NameParts& kernel);
Decoder ConcatBatchDecoder(const NameParts& kernel);  // the former alone

// PyTorch's kernels of which only the number of elements is known: dropout,
// gradients of embeddings and of layer norm's parameters.
Decoder CountedDecoder(const NameParts& kernel);

// Kernels of CUB as PyTorch calls them, on pointers, counters and tests for
// non-zero: sums, selections (nonzero, masks, unique), prefix sums.
Decoder CubDecoder(const NameParts& kernel);

// CUB's radix sorts: the one-block kernel, and the passes of the large one.
Decoder SortDecoder(const NameParts& kernel);

// PyTorch's kernels of one functor over all elements of some tensors:
// vectorized_elementwise_kernel(int n, f, array<char*> data)
// unrolled_elementwise_kernel(int n, f, array<char*> data, input offsets,
//                             output offsets, loader, storer)
// elementwise_kernel(int n, lambda{offsets, data, f[, types]})
Decoder ElementwiseDecoder(const NameParts& kernel);

// PyTorch's multi_tensor_apply_kernel(lists, functor, ...): one operation on
// lists of tensors. Few are computed; of the others the outputs are known.
Decoder ForeachDecoder(const NameParts& kernel);

// PyTorch's vectorized_gather_kernel: whole rows by their numbers.
Decoder GatherDecoder(const NameParts& kernel);

// MXNet's mxnet_generic_kernel and mshadow's MapPlanKernel: which arrays they
// read and write, from their template arguments; its biases of dense layers.
Decoder MxnetDecoder(const NameParts& kernel);

// The parts of nonzero_static, and of masks whose count is known.
Decoder NonzeroDecoder(const NameParts& kernel);

// PyTorch's kernels that put elements elsewhere: roll, flip, triu and tril,
// index_copy, index_fill.
Decoder MoveDecoder(const NameParts& kernel);

// PyTorch's kernels that get arrays and sizes one by one: searchsorted,
// repeat_interleave, tril_indices, triu_indices, parts of unique() and sort().
Decoder PlainDecoder(const NameParts& kernel);

// PyTorch's maximum and average pooling, their gradients, and upsampling by the
// nearest point, from the sizes that they are given.
Decoder PoolDecoder(const NameParts& kernel);

// PyTorch's sorts of short rows, in place, with their places; topk of one
// block a row, kthvalue and median.
Decoder RowSortDecoder(const NameParts& kernel);

// PyTorch's scans along a dimension: cumsum, cumprod, cummax, cummin.
Decoder ScanDecoder(const NameParts& kernel);

// _scatter_gather_elementwise_kernel(int n, lambda): gather, scatter, scatter
// of one number, and the reductions of scatter_reduce.
Decoder ScatterDecoder(const NameParts& kernel);

// index_select (of embedding tables, too), index_add and index_reduce by whole
// lines.
Decoder SelectDecoder(const NameParts& kernel);

// x[index], x[index] = y (index_elementwise_kernel), and write_indices, which
// makes coordinates of the flat indices that nonzero() has found.
Decoder IndexDecoder(const NameParts& kernel);

// distribution_elementwise_grid_stride_kernel(int64_t n (int before PyTorch
// 2.6), Philox state, f, lambda): random numbers. Integers of a range are drawn
// (other ones than a GPU draws, the same for the same seed), of others only
// their place is known.
Decoder RandomDecoder(const NameParts& kernel);

// PyTorch's elementwise_kernel_with_index(n, f, T* result) with the lambda of
// arange or linspace.
Decoder RangeDecoder(const NameParts& kernel);

// PyTorch's reduce_kernel<threads, vector, ReduceOp<input, ops, unsigned int,
// output, ...>>(ReduceOp): any, all, sum, mean, maximum, minimum, 2-norm,
// standard deviation, variance.
Decoder ReduceDecoder(const NameParts& kernel);

// PyTorch's layer norm and softmax, and their gradients: operations on rows
// that opmodel knows.
Decoder RowDecoder(const NameParts& kernel);

// amp_update_scale_cuda_kernel: the scale of mixed precision grows or shrinks.
Decoder ScaleDecoder(const NameParts& kernel);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_FAMILIES_H_
