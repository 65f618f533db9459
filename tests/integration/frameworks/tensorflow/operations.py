# SPDX-License-Identifier: Apache-2.0
"""TensorFlow: operations and their gradients, one by one, on the GPU."""

import checks
import numpy
from placement import GPUS, on_gpu

import tensorflow as tf


def gradients_of(function, *inputs):
    with tf.GradientTape() as tape:
        for one in inputs:
            tape.watch(one)
        result = function(*inputs)
    gradients = tape.gradient(result, inputs)
    on_gpu(result, *gradients)
    assert [g.shape for g in gradients] == [i.shape for i in inputs]
    return result


def uniform(*shape, dtype=tf.float32):
    return tf.random.uniform(shape, dtype=dtype)


@checks.check
def devices():
    assert len(GPUS) == 1, GPUS
    details = tf.config.experimental.get_device_details(GPUS[0])
    assert details["compute_capability"] == (9, 0), details
    assert "H100" in details["device_name"], details


@checks.check
def matmul():
    for dtype in (tf.float32, tf.float64, tf.float16, tf.bfloat16):
        result = gradients_of(tf.matmul, uniform(64, 32, dtype=dtype),
                              uniform(32, 48, dtype=dtype))
        assert result.shape == (64, 48)


@checks.check
def batched_matmul():
    gradients_of(tf.matmul, uniform(8, 16, 32), uniform(8, 32, 24))


@checks.check
def values_of_stack_and_concat():
    for dtype in (numpy.float16, numpy.int64, numpy.float32):
        # As many that a kernel does it: widths 1 and 2, two rows each.
        parts = [numpy.array([[10 * i, 1][:i % 2 + 1], [i, 2][:i % 2 + 1]],
                             dtype) for i in range(20)]
        result = tf.concat([tf.constant(part) for part in parts], 1)
        on_gpu(result)
        numpy.testing.assert_array_equal(result, numpy.concatenate(parts, 1))
        columns = [part[:, :1] for part in parts]
        result = tf.stack([tf.constant(column) for column in columns])
        on_gpu(result)
        numpy.testing.assert_array_equal(result, numpy.stack(columns))


@checks.check
def convolution():
    gradients_of(lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"),
                 uniform(2, 16, 16, 8), uniform(3, 3, 8, 16))
    gradients_of(lambda x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1],
                                                     "SAME"),
                 uniform(2, 16, 16, 8), uniform(3, 3, 8, 1))
    gradients_of(lambda x, w: tf.nn.conv3d(x, w, [1] * 5, "SAME"),
                 uniform(1, 8, 8, 8, 4), uniform(3, 3, 3, 4, 8))


@checks.check
def batch_norm():
    def normal(x, scale, offset):
        y, _, _, *_ = tf.raw_ops.FusedBatchNormV3(
            x=x, scale=scale, offset=offset, mean=[], variance=[])
        return y
    gradients_of(normal, uniform(4, 8, 8, 16), uniform(16), uniform(16))


@checks.check
def pooling():
    gradients_of(lambda x: tf.nn.max_pool2d(x, 2, 2, "SAME"),
                 uniform(2, 16, 16, 8))
    gradients_of(lambda x: tf.nn.avg_pool2d(x, 2, 2, "SAME"),
                 uniform(2, 16, 16, 8))


@checks.check
def lstm():
    layer = tf.keras.layers.LSTM(32, return_sequences=True)
    result = gradients_of(layer, uniform(4, 12, 16))
    assert result.shape == (4, 12, 32)


@checks.check
def gru():
    gradients_of(tf.keras.layers.GRU(32), uniform(4, 12, 16))


@checks.check
def elementwise_and_reductions():
    x = uniform(128, 64)
    on_gpu(tf.reduce_sum(x), tf.reduce_max(x, axis=1), tf.nn.softmax(x),
           tf.nn.gelu(x), tf.cumsum(x), tf.sort(x), tf.one_hot([1, 2], 4))


@checks.check
def embedding():
    table = uniform(100, 16)
    gradients = None
    with tf.GradientTape() as tape:
        tape.watch(table)
        result = tf.nn.embedding_lookup(table, [3, 5, 7])
    gradients = tape.gradient(result, table)
    on_gpu(result, gradients.values)


@checks.check
def linear_algebra():
    matrix = tf.eye(16) + 0.01 * uniform(16, 16)
    on_gpu(tf.linalg.inv(matrix), tf.linalg.cholesky(matrix),
           tf.linalg.solve(matrix, uniform(16, 4)), *tf.linalg.qr(matrix))
    on_gpu(tf.signal.fft(tf.cast(uniform(64), tf.complex64)))


@checks.check
def copies_hold_their_bytes():
    values = tf.constant([3.0, 1.0, 4.0, 1.0, 5.0] * 100)
    with tf.device("GPU:0"):
        there = tf.identity(values)
    on_gpu(there)
    assert there.numpy().tolist() == [3.0, 1.0, 4.0, 1.0, 5.0] * 100


@checks.check
def compiled_function():
    @tf.function(jit_compile=True)
    def step(x, w):
        return tf.nn.relu(tf.matmul(x, w)) + 1.0

    on_gpu(step(uniform(32, 64), uniform(64, 16)))


checks.run_all()
