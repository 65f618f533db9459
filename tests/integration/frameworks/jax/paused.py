# SPDX-License-Identifier: Apache-2.0
"""JAX's programs that pause, for ../../analyzer/paused_programs_test.py;
arguments as in ../../analyzer/programs/pauses.py."""

import pathlib
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] /
                       "analyzer/programs"))
import pauses  # noqa: E402


def trainer(jax):
    """The weights of a small net, and what trains them once on a batch."""
    jnp = jax.numpy

    def loss(weights, x):
        for w in weights:
            x = jax.nn.relu(x @ w)
        return jnp.mean(x ** 2)

    @jax.jit
    def train(weights, x):
        value, gradients = jax.value_and_grad(loss)(weights, x)
        return value, jax.tree.map(lambda w, g: w - 0.1 * g, weights,
                                   gradients)
    return [jnp.full(shape, 0.01) for shape in ((64, 128), (128, 8))], train


@pauses.program
def paused_loader(jax, at):
    """Batches that NumPy makes, and a loss that is read."""
    weights, train = trainer(jax)

    def step():
        nonlocal weights
        at("input")
        value, weights = train(weights, numpy.ones((32, 64), numpy.float32))
        float(value)
    return step


@pauses.program
def paused_waiting(jax, at):
    """The host waits for each step, and goes on."""
    weights, train = trainer(jax)
    x = jax.numpy.ones((32, 64))

    def step():
        nonlocal weights
        value, weights = train(weights, x)
        value.block_until_ready()
        at("between_steps")
    return step


@pauses.program
def paused_layers(jax, at):
    """Layer by layer, without a step that is compiled."""
    weights, _ = trainer(jax)
    x = jax.numpy.ones((32, 64))

    def step():
        at("between_steps")
        y = x @ weights[0]
        at("activation")
        y = jax.numpy.tanh(y)
        at("gemm")
        y = y @ weights[1]
        float(y.sum())
    return step


def make(name, at):
    import jax  # in the process that runs the program
    return pauses.PROGRAMS[name](jax, at)


if __name__ == "__main__":
    pauses.run_all(make)
