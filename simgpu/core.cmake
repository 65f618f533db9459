# SPDX-License-Identifier: Apache-2.0
# libdltapsim.so: the state of the simulated devices, shared by all simulated
# libraries of a process.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_package(Threads REQUIRED)

set(cbid_tables)
foreach(domain runtime driver)
  set(header ${DLTAP_CUDA_ROOT}/include/cupti_${domain}_cbid.h)
  set(table ${CMAKE_CURRENT_BINARY_DIR}/${domain}_cbids.inc)
  add_custom_command(
    OUTPUT ${table}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/shim/specs/generate/gen_cbid_table.py
            ${header} ${table}
    DEPENDS ${PROJECT_SOURCE_DIR}/shim/specs/generate/gen_cbid_table.py ${header}
    COMMENT "Generating the table of CUPTI ${domain} callback ids"
    VERBATIM)
  list(APPEND cbid_tables ${table})
endforeach()

set(error_tables)
foreach(api "runtime driver_types.h cudaError" "driver cuda.h CUDA_ERROR_")
  separate_arguments(api)
  list(GET api 0 name)
  list(GET api 1 header)
  list(GET api 2 prefix)
  set(table ${CMAKE_CURRENT_BINARY_DIR}/${name}_errors.inc)
  add_custom_command(
    OUTPUT ${table}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/simgpu/base/gen_error_table.py
            ${DLTAP_CUDA_ROOT}/include/${header} ${prefix} ${table}
    DEPENDS ${PROJECT_SOURCE_DIR}/simgpu/base/gen_error_table.py
    COMMENT "Generating the table of ${name} errors"
    VERBATIM)
  list(APPEND error_tables ${table})
endforeach()

add_library(dltapsim SHARED
  base/activity.cc
  base/address_routes.cc
  base/api_scope.cc
  base/architecture.cc
  base/call_params.cc
  base/cbid_table.cc
  base/clock.cc
  base/config.cc
  base/counters.cc
  base/default_call.cc
  base/device_files.cc
  base/error_text.cc
  base/exit_report.cc
  base/fault_rules.cc
  base/faults.cc
  base/foreign_libraries.cc
  base/fork_guard.cc
  base/handle.cc
  base/host_cost.cc
  base/interned_name.cc
  base/job_rank.cc
  base/python_place.cc
  base/scoped_fault_rules.cc
  base/scoped_faults.cc
  base/teardown.cc
  base/thread_state.cc
  base/typed_name.cc
  base/visible_devices.cc
  bytes/address_map.cc
  bytes/mapped_pages.cc
  bytes/memory_file.cc
  bytes/page_segments.cc
  bytes/shareable_handle.cc
  bytes/shared_memory.cc
  bytes/sparse_bytes.cc
  bytes/plausible_values.cc
  bytes/read_marks.cc
  bytes/uncomputed_reads.cc
  bytes/work_order.cc
  bytes/written_memory.cc
  bytes/written_ranges.cc
  stream/capture_sequence.cc
  stream/context.cc
  stream/context_limits.cc
  stream/device.cc
  stream/injection.cc
  stream/device_attributes.cc
  stream/device_memory.cc
  stream/device_state.cc
  stream/event.cc
  stream/green_context.cc
  stream/host_executor.cc
  stream/ipc_event.cc
  stream/launch_log.cc
  stream/memory_effects.cc
  stream/memory_operation.cc
  stream/occupancy.cc
  stream/open_work.cc
  stream/shared_event.cc
  stream/sm_booking.cc
  stream/sm_log.cc
  stream/sm_profile.cc
  stream/sm_sharing.cc
  stream/stream.cc
  stream/stream_attributes.cc
  stream/stream_state.cc
  stream/submit.cc
  stream/time_factors.cc
  stream/timeline.cc
  stream/work_activity.cc
  memory/array.cc
  memory/array_copy.cc
  memory/copy_batch.cc
  memory/ipc_memory.cc
  memory/managed_memory.cc
  memory/memory.cc
  memory/memory_pool.cc
  memory/memory_pool_attributes.cc
  memory/memory_pool_place.cc
  memory/pool_state.cc
  memory/texture.cc
  memory/transfer.cc
  memory/virtual_memory.cc
  graph/capture.cc
  graph/graph.cc
  graph/graph_condition.cc
  graph/graph_dot.cc
  graph/graph_exec.cc
  graph/graph_memory.cc
  graph/graph_query.cc
  graph/graph_replay.cc
  graph/graph_update.cc
  graph/node_attributes.cc
  graph/user_object.cc
  launch/cubin_parameters.cc
  launch/driver_launch.cc
  launch/handle_facts.cc
  launch/image.cc
  launch/kernel.cc
  launch/kernel_attributes.cc
  launch/kernel_meaning.cc
  launch/kernel_occupancy.cc
  launch/launch.cc
  launch/library_call.cc
  launch/linker.cc
  launch/module.cc
  launch/node_kernel.cc
  launch/ptx.cc
  torch/accumulate_call.cc
  torch/attention_call.cc
  torch/combination.cc
  torch/computation.cc
  torch/concat_batch_call.cc
  torch/concat_call.cc
  torch/counted_call.cc
  torch/cub_call.cc
  torch/decoder.cc
  torch/depthwise_call.cc
  torch/elementwise_call.cc
  torch/foreach_call.cc
  torch/functor.cc
  torch/functor_table.cc
  torch/gather_call.cc
  torch/index_call.cc
  torch/iterator.cc
  torch/kernel_name.cc
  torch/masked_scatter_call.cc
  torch/meaning.cc
  torch/move_call.cc
  torch/mxnet_call.cc
  torch/nonzero_call.cc
  torch/operands.cc
  torch/plain_call.cc
  torch/pool_call.cc
  torch/random_call.cc
  torch/range_call.cc
  torch/reduce_call.cc
  torch/reduce_places.cc
  torch/reduce_spread.cc
  torch/reduce_steps.cc
  torch/row_call.cc
  torch/row_sort_call.cc
  torch/scalar_type.cc
  torch/scale_call.cc
  torch/scan_call.cc
  torch/scatter_call.cc
  torch/select_call.cc
  torch/sort_call.cc
  torch/take_call.cc
  torch/tensor_lists.cc
  torch/tensor_view.cc
  torch/write_targets.cc
  ${cbid_tables}
  ${error_tables})
target_include_directories(dltapsim PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
target_include_directories(dltapsim SYSTEM PRIVATE ${DLTAP_CUDA_ROOT}/include)
target_compile_options(dltapsim PRIVATE -fno-semantic-interposition)
target_link_options(dltapsim PRIVATE
  -Wl,-z,defs -Wl,-z,nodelete -Wl,-Bsymbolic-functions -Wl,--enable-new-dtags)
target_link_libraries(dltapsim
  PUBLIC dltap_vocabulary
  PRIVATE dltap_strict dltap_specs_generated dltap_opmodel Threads::Threads)
set_target_properties(dltapsim PROPERTIES
  LIBRARY_OUTPUT_DIRECTORY ${DLTAP_SIMGPU_DIR}
  BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")

# What libraries whose file name tells the CUDA version say of themselves.
dltap_library(dltap_sim_versions13 SOURCES base/library_versions_cuda13.cc
              LIBS dltap_simgpu_flags)
target_include_directories(dltap_sim_versions13 SYSTEM PRIVATE
                           ${DLTAP_CUDA_ROOT}/include)
