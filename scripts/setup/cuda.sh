# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by setup.sh: the CUDA toolkit.

# Of these the headers are enough: tests run on simulated libraries.
libraries='nvidia-cublas
nvidia-cuda-nvrtc
nvidia-cufft
nvidia-curand
nvidia-cusolver
nvidia-cusparse
nvidia-cusparselt-cu13
nvidia-nccl-cu13'

choose_cuda() {
  local lock=third_party/cuda.lock unpack=scripts/unpack_cuda_wheels.py
  if [ -n "$cuda_root" ]; then
    [ -f "$cuda_root/include/cuda_runtime.h" ] ||
      fail "--cuda-root wants a CUDA toolkit;" \
        "$cuda_root holds no include/cuda_runtime.h"
    cuda_root=$(cd "$cuda_root" && pwd)
    return
  fi
  cuda_root=$tools/cuda-$(key_of "$lock" "$unpack")
  [ ! -d "$cuda_root" ] || return 0
  enter_workshop
  [ ! -d "$cuda_root" ] || return 0  # another clone made it while we waited
  need_space 4000 "the CUDA toolkit"
  say "fetching CUDA 13.0 headers and nvcc from NVIDIA's wheels" \
    "(1.8 GB to download, 0.4 GB kept)"
  pip "$generator_python" download "${locked[@]}" -d "$work/wheels" -r "$lock"
  "$generator_python" "$unpack" \
    --headers-only "$(paste -sd, <<<"$libraries" | tr - _)" \
    "$work/cuda" "$work"/wheels/*.whl
  mv "$work/cuda" "$cuda_root"
}

# Headers only. Used when they are there.
choose_cuda12() {
  local lock=third_party/cuda12.lock names
  local root
  root=$tools/cuda12-$(key_of "$lock")
  if [ -n "$with_cuda12" ] && [ ! -d "$root" ]; then
    enter_workshop
    need_space 3000 "the headers of CUDA 12"
    say "fetching the headers of CUDA 12.8 from NVIDIA's wheels" \
      "(1.9 GB to download, 30 MB kept)"
    pip "$generator_python" download "${locked[@]}" -d "$work/wheels12" \
      -r "$lock"
    names=$(sed -n 's/==.*//p' "$lock" | tr - _ | paste -sd,)
    mkdir -p "$work/cuda12/lib"
    "$generator_python" scripts/unpack_cuda_wheels.py --headers-only "$names" \
      "$work/cuda12" "$work"/wheels12/*.whl
    [ -d "$root" ] || mv "$work/cuda12" "$root"
  fi
  [ ! -d "$root" ] || cuda12_choice=("DLTAP_CUDA12_ROOT=$root")
}
