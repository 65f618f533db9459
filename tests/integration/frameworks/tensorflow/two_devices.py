# SPDX-License-Identifier: Apache-2.0
"""TensorFlow on two GPUs: placement, copies between them, MirroredStrategy."""

import checks
import numpy
from placement import GPUS, on_gpu

import tensorflow as tf


@checks.check
def devices():
    assert len(GPUS) == 2, GPUS


@checks.check
def each_computes():
    for index in range(2):
        with tf.device(f"GPU:{index}"):
            on_gpu(tf.matmul(tf.ones((32, 32)), tf.ones((32, 32))),
                   index=index)


@checks.check
def copy_from_one_to_the_other():
    with tf.device("GPU:0"):
        first = tf.constant(numpy.arange(1000, dtype=numpy.float32))
    with tf.device("GPU:1"):
        second = tf.identity(first)
    on_gpu(second, index=1)
    assert second.numpy().tolist() == list(range(1000))


@checks.check
def mirrored_strategy_trains():
    strategy = tf.distribute.MirroredStrategy(["GPU:0", "GPU:1"])
    with strategy.scope():
        model = tf.keras.Sequential([
            tf.keras.layers.Input((16,)), tf.keras.layers.Dense(4)])
        model.compile("sgd", "mse")
    history = model.fit(
        numpy.ones((64, 16), numpy.float32), numpy.ones((64, 4), numpy.float32),
        batch_size=16, epochs=2, verbose=0)
    assert len(history.history["loss"]) == 2
    for index, replica in enumerate(
            strategy.experimental_local_results(model.weights[0].value)):
        on_gpu(replica, index=index)


checks.run_all()
