# SPDX-License-Identifier: Apache-2.0
"""TensorFlow as set up, with nothing said of a toolkit: a CNN, an LSTM, an
embedding model and a Transformer block train, compiled by XLA and not."""

import checks
import numpy
from placement import variables_on_gpu

import tensorflow as tf

keras = tf.keras
layers = keras.layers
STEPS = 30
BATCH = 8
WORDS = 100


def cnn():
    return keras.Sequential([
        layers.Input((16, 16, 3)),
        layers.Conv2D(16, 3, padding="same"), layers.BatchNormalization(),
        layers.ReLU(), layers.MaxPooling2D(), layers.Flatten(),
        layers.Dense(10)])


def lstm():
    return keras.Sequential([
        layers.Input((12, 8)), layers.LSTM(32), layers.Dense(10)])


def embedding():
    return keras.Sequential([
        layers.Input((12,), dtype="int32"), layers.Embedding(WORDS, 16),
        layers.GlobalAveragePooling1D(), layers.Dense(10)])


def transformer():
    tokens = layers.Input((12,), dtype="int32")
    x = layers.Embedding(WORDS, 32)(tokens)
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(4, 8)(x, x))
    hidden = layers.Dense(64, activation="relu")(x)
    x = layers.LayerNormalization()(x + layers.Dense(32)(hidden))
    pooled = layers.GlobalAveragePooling1D()(x)
    return keras.Model(tokens, layers.Dense(10)(pooled))


def inputs_of(model):
    shape = (STEPS * BATCH, *model.input_shape[1:])
    if len(shape) == 2:
        return numpy.random.randint(0, WORDS, shape).astype(numpy.int32)
    return numpy.ones(shape, numpy.float32)


def train(model, jit_compile):
    steps = []
    model.compile(
        "adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        jit_compile=jit_compile)
    model.fit(inputs_of(model), numpy.zeros(STEPS * BATCH, numpy.int32),
              batch_size=BATCH, verbose=0,
              callbacks=[keras.callbacks.LambdaCallback(
                  on_train_batch_end=lambda step, logs: steps.append(step))])
    assert steps == list(range(STEPS)), steps
    variables_on_gpu(model)


for make in (cnn, lstm, embedding, transformer):
    for compiled in (False, True):
        def check(make=make, compiled=compiled):
            train(make(), compiled)
        check.__name__ = make.__name__ + ("_compiled" if compiled else "")
        checks.check(check)


@checks.check
def shape_of_an_embeddings_gradient():
    for compiled in (False, True):
        @tf.function(jit_compile=compiled)
        def gradient_of(table, tokens):
            with tf.GradientTape() as tape:
                tape.watch(table)
                rows = tf.nn.embedding_lookup(table, tokens)
                loss = tf.reduce_sum(rows ** 2)
            return tape.gradient(loss, table)

        gradient = gradient_of(tf.random.uniform((WORDS, 16)),
                               tf.constant([3, 5, 7]))
        assert gradient.dense_shape.numpy().tolist() == [WORDS, 16], gradient
        assert gradient.values.shape == (3, 16)


checks.run_all()
