# SPDX-License-Identifier: Apache-2.0
"""JAX's training loops as programs have them; argument: a name of LOOPS."""

import sys

import jax
import jax.numpy as jnp
import numpy

EPOCHS = 4
STEPS = 10  # an epoch
EVALUATIONS = 3  # batches behind each epoch


def loss(weights, x):
    for w in weights:
        x = jax.nn.relu(x @ w)
    return jnp.mean(x ** 2)


def descend(weights, gradients):
    return jax.tree.map(lambda w, g: w - 0.1 * g, weights, gradients)


def made_weights():
    key = jax.random.key(0)
    return [jax.random.normal(key, shape) @ jnp.eye(shape[1])
            for shape in ((64, 128), (128, 256), (256, 8))]


def batch(size):
    return numpy.ones((size, 64), numpy.float32)


def evaluated_by_the_gradient(weights):
    """The function that gives loss and gradients also evaluates, on batches of
    another size."""
    apply = jax.jit(jax.value_and_grad(loss))
    update = jax.jit(descend)
    for _ in range(EPOCHS):
        for _ in range(STEPS):
            _, gradients = apply(weights, batch(32))
            weights = update(weights, gradients)
        float(apply(weights, batch(128))[0])


def scanned(weights):
    """An epoch is one call; its batches are copied at once."""
    def step(weights, x):
        value, gradients = jax.value_and_grad(loss)(weights, x)
        return descend(weights, gradients), value

    epoch = jax.jit(lambda weights, xs: jax.lax.scan(step, weights, xs))
    evaluate = jax.jit(loss)
    for _ in range(EPOCHS):
        weights, values = epoch(weights, numpy.ones((STEPS, 32, 64),
                                                    numpy.float32))
        float(values.mean())
        for _ in range(EVALUATIONS):
            float(evaluate(weights, batch(32)))


LOOPS = {f.__name__: f for f in (evaluated_by_the_gradient, scanned)}

if __name__ == "__main__":
    LOOPS[sys.argv[1]](made_weights())
