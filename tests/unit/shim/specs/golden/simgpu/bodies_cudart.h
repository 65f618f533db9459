// SPDX-License-Identifier: Apache-2.0
// GENERATED from shim/specs/*.toml and the vendor headers by
// gen_entry_points.py. DO NOT EDIT.
// Compiled in before all else: what these files define and call under an
// exported name is its body.
#pragma redefine_extname toyBind simgpu_body_toyBind
