# SPDX-License-Identifier: Apache-2.0
"""JAX programs; each gives a step to compile and what it is called with.

    xla_programs.py OUT NAME

compiles one and runs it, and leaves its optimized program and XLA's count of
its operations in OUT.
"""

import json
import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy
from jax import lax

RUNS = 3

PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def filled(*shape, dtype=jnp.float32):
    """Random weights, made without a kernel."""
    return jnp.asarray(numpy.random.default_rng(0).normal(
        0, 0.1, shape), dtype)


def descend(loss):
    """A step of gradient descent on the first argument."""
    def step(weights, *batch):
        value, slopes = jax.value_and_grad(loss)(weights, *batch)
        return value, jax.tree.map(lambda w, g: w - 0.1 * g, weights, slopes)
    return step


@program
def perceptron():
    def loss(weights, x):
        for w in weights[:-1]:
            x = jax.nn.relu(x @ w)
        return jnp.mean((x @ weights[-1]) ** 2)
    return descend(loss), [filled(128, 512), filled(512, 512),
                           filled(512, 16)], filled(256, 128)


@program
def convolutions():
    def loss(weights, x):
        *kernels, head = weights
        for kernel in kernels:
            x = jax.nn.relu(lax.conv_general_dilated(
                x, kernel, (1, 1), "SAME",
                dimension_numbers=("NHWC", "HWIO", "NHWC")))
            x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1),
                                  (1, 2, 2, 1), "VALID")
        logits = x.reshape(x.shape[0], -1) @ head
        return -jax.nn.log_softmax(logits)[:, 3].mean()
    return descend(loss), [filled(3, 3, 3, 16), filled(3, 3, 16, 32),
                           filled(8 * 8 * 32, 10)], filled(16, 32, 32, 3)


def heads(x, w, n):
    return (x @ w).reshape(*x.shape[:2], n, -1)


@program
def plain_attention():
    def loss(weights, x):
        q, k, v = (heads(x, w, 4) for w in weights[:3])
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / 8
        y = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)
        return jnp.mean((y.reshape(x.shape) @ weights[3]) ** 2)
    return descend(loss), [filled(256, 256) for _ in range(4)], filled(
        4, 128, 256)


@program
def cudnn_attention():
    def loss(weights, x):
        q, k, v = (heads(x, w, 4) for w in weights[:3])
        y = jax.nn.dot_product_attention(q, k, v, is_causal=True,
                                         implementation="cudnn")
        return jnp.mean((y.reshape(x.shape) @ weights[3]) ** 2)
    return descend(loss), [filled(256, 256, dtype=jnp.bfloat16)
                           for _ in range(4)], filled(
                               4, 128, 256, dtype=jnp.bfloat16)


@program
def recurrence():
    def loss(weights, x):
        w, u, head = weights

        def cell(carry, x):
            h, c = carry
            i, f, g, o = jnp.split(x @ w + h @ u, 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h
        zero = jnp.zeros((x.shape[1], 128))
        _, states = lax.scan(cell, (zero, zero), x)
        return jnp.mean((states[-1] @ head) ** 2)
    return descend(loss), [filled(64, 512), filled(128, 512),
                           filled(128, 10)], filled(20, 32, 64)


@program
def summed_gradients():
    """Of four batches, in a loop; then one update."""
    def loss(weights, x):
        for w in weights[:-1]:
            x = jax.nn.gelu(x @ w)
        return -jax.nn.log_softmax(x @ weights[-1])[:, 0].mean()

    def step(weights, batches):
        def add(sums, x):
            return jax.tree.map(jnp.add, sums, jax.value_and_grad(loss)(
                weights, x)), None
        zeros = jnp.zeros(()), jax.tree.map(jnp.zeros_like, weights)
        (value, slopes), _ = lax.scan(add, zeros, batches)
        return value, jax.tree.map(lambda w, g: w - 0.1 * g, weights, slopes)
    return step, [filled(256, 256) for _ in range(3)], filled(4, 64, 256)


@program
def steps_in_a_loop():
    def loss(weights, x):
        return jnp.mean((jnp.tanh(x @ weights[0]) @ weights[1]) ** 2)

    def steps(weights, batches):
        def one(weights, x):
            value, weights = descend(loss)(weights, x)
            return weights, value
        return lax.scan(one, weights, batches)
    return steps, [filled(128, 512), filled(512, 64)], filled(4, 64, 128)


@program
def norm_and_softmax():
    def loss(weights, x):
        for w in weights:
            y = x - x.mean(-1, keepdims=True)
            y = y * lax.rsqrt((y * y).mean(-1, keepdims=True) + 1e-5)
            x = x + jax.nn.gelu(y @ w)
        return -jax.nn.log_softmax(x)[:, 0].mean()
    return descend(loss), [filled(512, 512) for _ in range(3)], filled(256, 512)


@program
def embedding():
    def loss(weights, words, labels):
        table, head = weights
        x = table[words].mean(1)
        logits = jax.nn.log_softmax(x @ head)
        return -jnp.take_along_axis(logits, labels[:, None], 1).mean()
    return (descend(loss), [filled(10000, 128), filled(128, 50)],
            jnp.arange(64 * 20).reshape(64, 20) % 997, jnp.arange(64) % 50)


@program
def adam():
    def loss(weights, x):
        return jnp.mean((jnp.tanh(x @ weights[0]) @ weights[1]) ** 2)

    def step(state, x):
        weights, m, v, t = state
        value, g = jax.value_and_grad(loss)(weights, x)
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
        v = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, v, g)
        weights = jax.tree.map(lambda w, m, v: w - 1e-3 * (m / (
            1 - 0.9 ** t)) / (jnp.sqrt(v / (1 - 0.99 ** t)) + 1e-8),
            weights, m, v)
        return value, (weights, m, v, t + 1)
    weights = [filled(128, 1024), filled(1024, 64)]
    zeros = jax.tree.map(jnp.zeros_like, weights)
    return step, (weights, zeros, zeros, jnp.float32(1)), filled(64, 128)


@program
def checkpointed():
    @jax.checkpoint
    def block(x, w):
        a, b = w
        return x + jax.nn.silu(x @ a) @ b

    def loss(weights, x):
        for w in weights:
            x = block(x, w)
        return jnp.mean(x ** 2)
    weights = [(filled(128, 512), filled(512, 128)) for _ in range(2)]
    return descend(loss), weights, filled(64, 128)


@program
def inference():
    def step(weights, x):
        for w in weights:
            x = jax.nn.silu(x @ w)
        return jnp.argmax(x, -1)
    return step, [filled(256, 256) for _ in range(3)], filled(128, 256)


@program
def mixed_precision():
    def loss(weights, x):
        x = x.astype(jnp.bfloat16)
        for w in weights:
            x = jax.nn.relu(x @ w.astype(jnp.bfloat16))
        return jnp.mean(x.astype(jnp.float32) ** 2)
    return descend(loss), [filled(512, 512) for _ in range(3)], filled(256, 512)


def main():
    out, name = pathlib.Path(sys.argv[1]), sys.argv[2]
    step, *arguments = PROGRAMS[name]()
    compiled = jax.jit(step).lower(*arguments).compile()
    (out / f"{name}.hlo").write_text(compiled.as_text())
    (out / f"{name}.json").write_text(json.dumps(
        {"flops": compiled.cost_analysis()["flops"]}))
    for _ in range(RUNS):
        jax.block_until_ready(compiled(*arguments))


if __name__ == "__main__":
    main()
