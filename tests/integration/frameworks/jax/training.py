# SPDX-License-Identifier: Apache-2.0
"""JAX: training under jit, an MLP and a convolutional net; with the argument
`profile` some steps under its profiler as well."""

import pathlib
import re
import sys
import tempfile

import checks
import jax
import jax.numpy as jnp
from jax import lax

STEPS = 4


def dense(x, weights):
    return jax.nn.relu(x @ weights)


def mlp(parameters, x):
    for weights in parameters:
        x = dense(x, weights)
    return x


def conv_net(parameters, x):
    *kernels, head = parameters
    for kernel in kernels:
        x = jax.nn.relu(lax.conv_general_dilated(
            x, kernel, (1, 1), "SAME",
            dimension_numbers=("NHWC", "HWIO", "NHWC")))
        x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1),
                              (1, 2, 2, 1), "VALID")
    return x.reshape(x.shape[0], -1) @ head


def train(net, parameters, x, steps=STEPS):
    @jax.jit
    def step(parameters, x):
        loss, gradients = jax.value_and_grad(
            lambda p: jnp.mean(net(p, x) ** 2))(parameters)
        return loss, jax.tree.map(lambda p, g: p - 0.1 * g, parameters,
                                  gradients)

    for _ in range(steps):
        loss, parameters = step(parameters, x)
    loss.block_until_ready()
    assert loss.devices() == {jax.devices()[0]}
    assert jax.devices()[0].platform == "gpu"


def uniform(*shape):
    return jnp.full(shape, 0.01, jnp.float32)


@checks.check
def train_mlp():
    train(mlp, [uniform(128, 256), uniform(256, 256), uniform(256, 16)],
          uniform(64, 128))


@checks.check
def train_conv_net():
    train(conv_net, [uniform(3, 3, 3, 16), uniform(3, 3, 16, 32),
                     uniform(8 * 8 * 32, 10)], uniform(16, 32, 32, 3))


if sys.argv[1:] == ["profile"]:
    @checks.check
    def profile():
        with tempfile.TemporaryDirectory() as folder:
            with jax.profiler.trace(folder):
                train(mlp, [uniform(64, 64)], uniform(16, 64), steps=3)
            planes = list(pathlib.Path(folder).rglob("*.xplane.pb"))
            assert planes, "the profiler wrote nothing"
            content = planes[0].read_bytes()
            assert b"/device:GPU:0" in content
            # A stream with kernels; launches joined to their graphs.
            assert re.search(rb"Stream #\d+\([^)]*Compute", content)
            assert b"cuGraphLaunch (CudaGraph:" in content


checks.run_all()
