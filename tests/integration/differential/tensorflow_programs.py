# SPDX-License-Identifier: Apache-2.0
"""Keras models, trained as graphs.

    tensorflow_programs.py OUT NAME

trains one, and leaves in OUT how many operations of each type its graph has,
by the pass that they belong to.
"""

import collections
import json
import pathlib
import sys

import tensorflow as tf

RUNS = 3
keras = tf.keras
layers = keras.layers
PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


@program
def convolutions():
    return keras.Sequential([
        layers.Input((16, 16, 3)),
        layers.Conv2D(16, 3, padding="same"), layers.BatchNormalization(),
        layers.ReLU(), layers.MaxPooling2D(),
        layers.Conv2D(32, 3, padding="same", activation="gelu"),
        layers.GlobalAveragePooling2D(), layers.Dropout(0.1),
        layers.Dense(10)]), tf.ones((8, 16, 16, 3))


@program
def recurrence():
    return keras.Sequential([
        layers.Input((12, 8)), layers.LSTM(32, return_sequences=True),
        layers.LSTM(16), layers.Dense(10)]), tf.ones((8, 12, 8))


@program
def transformer():
    x = inputs = layers.Input((16, 32))
    h = layers.LayerNormalization()(x)
    x = layers.Add()([x, layers.MultiHeadAttention(4, 8)(h, h)])
    h = layers.LayerNormalization()(x)
    h = layers.Dense(32)(layers.Dense(64, activation="relu")(h))
    x = layers.GlobalAveragePooling1D()(layers.Add()([x, h]))
    return keras.Model(inputs, layers.Dense(10)(x)), tf.ones((4, 16, 32))


@program
def embedding():
    return keras.Sequential([
        layers.Input((12,), dtype="int32"), layers.Embedding(1000, 32),
        layers.GlobalAveragePooling1D(),
        layers.Dense(10, activation="tanh")]), tf.ones((8, 12), tf.int32)


@program
def perceptron():
    return keras.Sequential([
        layers.Input((64,)), layers.Dense(128, activation="relu"),
        layers.Dense(128, activation="sigmoid"),
        layers.Dense(10)]), tf.ones((16, 64))


def pass_of(name: str) -> str:
    if "gradient_tape" in name:
        return "backward"
    return "update" if name.startswith("adam/") else "forward"


def operations(function) -> dict:
    """Pass -> type -> how many; of functions that the graph calls, too."""
    graph = function.graph.as_graph_def()
    found = collections.defaultdict(collections.Counter)
    for node in graph.node:
        found[pass_of(node.name)][node.op] += 1
    for inner in graph.library.function:
        for node in inner.node_def:
            found["functions"][node.op] += 1
    return found


def main():
    out, name = pathlib.Path(sys.argv[1]), sys.argv[2]
    model, inputs = PROGRAMS[name]()
    optimizer = keras.optimizers.Adam(0.01)
    labels = tf.zeros((inputs.shape[0],), tf.int32)
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    @tf.function
    def step(inputs):
        with tf.GradientTape() as tape:
            loss = loss_of(labels, model(inputs, training=True))
        variables = model.trainable_variables
        optimizer.apply_gradients(
            zip(tape.gradient(loss, variables), variables))
        return loss

    optimizer.build(model.trainable_variables)
    function = step.get_concrete_function(inputs)
    (out / f"{name}.json").write_text(json.dumps(operations(function)))
    for _ in range(RUNS):
        loss = step(inputs)
    loss.numpy()


if __name__ == "__main__":
    main()
