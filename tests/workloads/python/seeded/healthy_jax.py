#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""JAX: a jitted step of an MLP in bfloat16."""
import argparse

import jax
import jax.numpy as jnp


def forward(weights: list[jax.Array], x: jax.Array) -> jax.Array:
    for weight in weights:
        x = jax.nn.relu(x @ weight)
    return jnp.mean(x.astype(jnp.float32))


@jax.jit
def step(weights: list[jax.Array], x: jax.Array) -> list[jax.Array]:
    gradients = jax.grad(forward)(weights, x)
    return [w - 0.1 * g for w, g in zip(weights, gradients)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=12)
    args = parser.parse_args()
    weights = [jnp.zeros((4096, 4096), jnp.bfloat16) for _ in range(4)]
    x = jnp.zeros((8192, 4096), jnp.bfloat16)
    for _ in range(args.steps):
        weights = step(weights, x)
    jax.block_until_ready(weights)


if __name__ == "__main__":
    main()
