#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TensorFlow: training steps with one bug each, or without it."""
import argparse
from collections.abc import Callable

import numpy
import tensorflow as tf

keras = tf.keras
layers = keras.layers


def train(model: keras.Model, steps: int,
          feed: Callable[[], tf.Tensor]) -> None:
    optimizer = keras.optimizers.SGD(0.1)

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            made = tf.cast(model(x, training=True), tf.float32)
            loss = tf.reduce_mean(made ** 2)
        variables = model.trainable_variables
        optimizer.apply_gradients(
            zip(tape.gradient(loss, variables), variables))
        return loss

    for _ in range(steps):
        loss = step(feed())
    loss.numpy()


def dense(width: int, count: int) -> keras.Model:
    return keras.Sequential(
        [layers.Input((width,)),
         *(layers.Dense(width, activation="relu") for _ in range(count))])


def fp32(bug: bool, steps: int) -> None:
    """Products in FP32, without tensor cores."""
    tf.config.experimental.enable_tensor_float_32_execution(not bug)
    if not bug:
        keras.mixed_precision.set_global_policy("mixed_bfloat16")
    x = tf.zeros((4096, 4096))
    train(dense(4096, 4), steps, lambda: x)


def fp64(bug: bool, steps: int) -> None:
    """Double precision, as NumPy gives it."""
    dtype = "float64" if bug else "float32"
    keras.backend.set_floatx(dtype)
    x = tf.zeros((1024, 1024), dtype)
    train(dense(1024, 4), steps, lambda: x)


def feed(bug: bool, steps: int) -> None:
    """A batch that is copied when the step wants it."""
    keras.mixed_precision.set_global_policy("mixed_bfloat16")
    batch = numpy.zeros((4096, 4096), numpy.float32)
    ahead = tf.data.experimental.prefetch_to_device("/gpu:0", 4)
    batches = iter(tf.data.Dataset.from_tensors(batch).repeat().apply(ahead))
    train(dense(4096, 3), steps,
          (lambda: tf.constant(batch)) if bug else lambda: next(batches))


def cells(bug: bool, steps: int) -> None:
    """An LSTM of single operations in place of cuDNN's."""
    layer = (layers.RNN(layers.LSTMCell(512), unroll=True) if bug
             else layers.LSTM(512))
    x = tf.zeros((64, 48, 512))
    train(keras.Sequential([layers.Input((48, 512)), layer]), steps, lambda: x)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    bugs = {each.__name__: each for each in (fp32, fp64, feed, cells)}
    parser.add_argument("name", choices=bugs)
    parser.add_argument("--bug", action="store_true")
    parser.add_argument("--steps", type=int, default=10)
    args = parser.parse_args()
    bugs[args.name](args.bug, args.steps)


if __name__ == "__main__":
    main()
