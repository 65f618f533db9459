# SPDX-License-Identifier: Apache-2.0
"""TensorFlow: Keras trains a CNN and an LSTM on the GPU, as a graph, compiled by
XLA and in mixed precision; some steps under TensorFlow's profiler."""

import pathlib
import tempfile

import checks
import numpy
from placement import variables_on_gpu

import tensorflow as tf

keras = tf.keras
layers = keras.layers


def cnn():
    return keras.Sequential([
        layers.Input((16, 16, 3)),
        layers.Conv2D(16, 3, padding="same"), layers.BatchNormalization(),
        layers.ReLU(), layers.MaxPooling2D(),
        layers.Conv2D(32, 3, padding="same", activation="gelu"),
        layers.GlobalAveragePooling2D(), layers.Dropout(0.1),
        layers.Dense(10)])


def lstm():
    return keras.Sequential([
        layers.Input((12, 8)), layers.LSTM(32, return_sequences=True),
        layers.LSTM(16), layers.Dense(10)])


def fit(model, jit_compile):
    shape = model.input_shape[1:]
    inputs = numpy.ones((32, *shape), numpy.float32)
    labels = numpy.zeros((32,), numpy.int32)
    model.compile(
        "adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        jit_compile=jit_compile)
    history = model.fit(inputs, labels, batch_size=8, epochs=1, verbose=0)
    assert len(history.history["loss"]) == 1
    variables_on_gpu(model)
    result = model(inputs[:8])
    assert result.shape == (8, 10)
    assert result.device.endswith("GPU:0"), result.device


@checks.check
def cnn_as_a_graph():
    fit(cnn(), jit_compile=False)


@checks.check
def cnn_compiled():
    fit(cnn(), jit_compile=True)


@checks.check
def mixed_precision():
    for policy in ("mixed_bfloat16", "mixed_float16"):
        keras.mixed_precision.set_global_policy(policy)
        try:
            fit(cnn(), jit_compile=False)
            fit(lstm(), jit_compile=False)
        finally:
            keras.mixed_precision.set_global_policy("float32")


@checks.check
def lstm_as_a_graph():
    fit(lstm(), jit_compile=False)


@checks.check
def lstm_compiled():
    fit(lstm(), jit_compile=True)


@checks.check
def own_loop():
    model, optimizer = cnn(), keras.optimizers.SGD(0.1)

    @tf.function
    def step(inputs):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(inputs, training=True) ** 2)
        variables = model.trainable_variables
        optimizer.apply_gradients(
            zip(tape.gradient(loss, variables), variables))
        return loss

    for _ in range(3):
        loss = step(tf.ones((8, 16, 16, 3)))
    assert loss.device.endswith("GPU:0"), loss.device


@checks.check
def profiler():
    model = cnn()
    fit(model, jit_compile=False)
    with tempfile.TemporaryDirectory() as folder:
        tf.profiler.experimental.start(folder)
        model.predict(numpy.ones((8, 16, 16, 3), numpy.float32), verbose=0)
        tf.profiler.experimental.stop()
        traces = list(pathlib.Path(folder).rglob("*.xplane.pb"))
        assert len(traces) == 1, traces
        # The plane of the device, with kernels in it.
        content = traces[0].read_bytes()
        assert b"/device:GPU:0" in content
        assert b"BiasNHWCKernel" in content


checks.run_all()
