# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's programs that pause, for ../../analyzer/paused_programs_test.py;
arguments as in ../../analyzer/programs/pauses.py."""

import pathlib
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] /
                       "analyzer/programs"))
import pauses  # noqa: E402


def cnn(tf):
    layers = tf.keras.layers
    return tf.keras.Sequential([
        layers.Input((16, 16, 3)), layers.Conv2D(16, 3, padding="same"),
        layers.BatchNormalization(), layers.ReLU(), layers.MaxPooling2D(),
        layers.Conv2D(32, 3, padding="same"), layers.GlobalAveragePooling2D(),
        layers.Dense(10)])


def trainer(tf, forward, model):
    """A function that trains the model once on a batch and gives the loss."""
    optimizer = tf.keras.optimizers.SGD(0.1)
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    # Of 64 bits: those of 32 lie on the host, and are copied in each step.
    labels = tf.zeros((8,), tf.int64)

    def train(x):
        with tf.GradientTape() as tape:
            loss = loss_of(labels, forward(x))
        variables = model.trainable_variables
        optimizer.apply_gradients(
            zip(tape.gradient(loss, variables), variables))
        return loss
    return train


@pauses.program
def paused_function(tf, at):
    """A function that is compiled to a graph. What runs it is no thread that
    submits work."""
    model = cnn(tf)
    train = tf.function(trainer(tf, model, model))
    x = tf.ones((8, 16, 16, 3))

    def step():
        at("any:between")
        train(x)
    return step


@pauses.program
def paused_reading(tf, at):
    """The loss of each step is read."""
    model = cnn(tf)
    train = tf.function(trainer(tf, model, model))
    x = tf.ones((8, 16, 16, 3))

    def step():
        at("between_steps")
        float(train(x))
    return step


@pauses.program
def paused_batches(tf, at):
    """A batch that the host makes for each step."""
    model = cnn(tf)
    train = tf.function(trainer(tf, model, model))

    def step():
        at("input")
        train(tf.constant(numpy.ones((8, 16, 16, 3), numpy.float32)))
    return step


@pauses.program
def paused_python_function(tf, at):
    """A function of Python's within the graph, before a layer."""
    model = cnn(tf)

    def forward(x):
        for layer in model.layers:
            if isinstance(layer, tf.keras.layers.MaxPooling2D):
                done = tf.py_function(lambda: at("pool") or 0.0, [],
                                      tf.float32)
                with tf.control_dependencies([done]):
                    x = tf.identity(x)
            x = layer(x)
        return x
    train = tf.function(trainer(tf, forward, model))
    x = tf.ones((8, 16, 16, 3))
    return lambda: train(x)


@pauses.program
def paused_eager(tf, at):
    """Without a graph."""
    model = cnn(tf)
    places = {0: "between_steps", 1: "norm", 3: "pool", 4: "conv", 6: "gemm"}

    def forward(x):
        for i, layer in enumerate(model.layers):
            if i in places:
                at(places[i])
            x = layer(x)
        return x
    train = trainer(tf, forward, model)
    x = tf.ones((8, 16, 16, 3))
    return lambda: float(train(x))


def make(name, at):
    import tensorflow as tf  # in the process that runs the program
    return pauses.PROGRAMS[name](tf, at)


if __name__ == "__main__":
    pauses.run_all(make)
