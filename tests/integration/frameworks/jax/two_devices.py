# SPDX-License-Identifier: Apache-2.0
"""JAX: two devices of one process; collectives move data."""

import checks
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

DEVICES = jax.devices()
MESH = Mesh(np.array(DEVICES), ("d",))


def sharded(array):
    return jax.device_put(array, NamedSharding(MESH, PartitionSpec("d")))


def mapped(function, out=PartitionSpec("d")):
    return jax.jit(jax.shard_map(function, mesh=MESH,
                                 in_specs=PartitionSpec("d"), out_specs=out,
                                 check_vma=False))


@checks.check
def two_devices():
    assert [d.platform for d in DEVICES] == ["gpu", "gpu"], DEVICES


@checks.check
def copies_between_devices():
    there = jax.device_put(np.arange(1000), DEVICES[1])
    assert there.devices() == {DEVICES[1]}
    back = jax.device_put(there, DEVICES[0])
    np.testing.assert_array_equal(np.asarray(back), np.arange(1000))


@checks.check
def psum():
    out = mapped(lambda x: lax.psum(x, "d"))(sharded(jnp.ones((2, 1 << 20))))
    assert out.shape == (2, 1 << 20) and len(out.devices()) == 2


@checks.check
def large_sums():
    """By NCCL; XLA has a kernel of its own for small ones."""
    data = sharded(np.ones((2, 1 << 23), np.float32))
    out = mapped(lambda x: lax.psum(x, "d"))(data)
    assert (np.asarray(out) == 2).all()
    out = mapped(lambda x: lax.psum_scatter(x.reshape(-1), "d", tiled=True))(
        data)
    assert out.shape == (1 << 23,) and (np.asarray(out) == 2).all()


@checks.check
def all_gather():
    data = np.arange(2 * 4096, dtype=np.float32)
    out = mapped(lambda x: lax.all_gather(x, "d", tiled=True),
                 PartitionSpec())(sharded(data))
    np.testing.assert_array_equal(np.asarray(out), data)


@checks.check
def ppermute():
    data = np.arange(2 * 4096, dtype=np.float32).reshape(2, 4096)
    out = mapped(lambda x: lax.ppermute(x, "d", [(0, 1), (1, 0)]))(
        sharded(data))
    np.testing.assert_array_equal(np.asarray(out), data[::-1])


@checks.check
def all_to_all():
    data = np.arange(4 * 4096, dtype=np.float32).reshape(4, 4096)
    out = mapped(lambda x: lax.all_to_all(x, "d", 0, 0, tiled=True))(
        sharded(data))
    np.testing.assert_array_equal(np.asarray(out), data[[0, 2, 1, 3]])


@checks.check
def data_parallel_step():
    weights = jnp.full((256, 256), 0.01)

    def gradient(x):
        return lax.pmean(
            jax.grad(lambda w: jnp.mean((x @ w) ** 2))(weights), "d")

    out = mapped(gradient, PartitionSpec())(sharded(jnp.ones((64, 256))))
    assert out.shape == (256, 256)


checks.run_all()
