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
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/gen_cbid_table.py
            ${header} ${table}
    DEPENDS ${PROJECT_SOURCE_DIR}/scripts/gen_cbid_table.py ${header}
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
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/gen_error_table.py
            ${DLTAP_CUDA_ROOT}/include/${header} ${prefix} ${table}
    DEPENDS ${PROJECT_SOURCE_DIR}/scripts/gen_error_table.py
    COMMENT "Generating the table of ${name} errors"
    VERBATIM)
  list(APPEND error_tables ${table})
endforeach()

add_library(dltapsim SHARED
  activity.cc
  api/address_routes.cc
  api/api_scope.cc
  gpu/architecture.cc
  memory/array.cc
  memory/array_copy.cc
  api/call_params.cc
  graph/capture.cc
  api/cbid_table.cc
  clock.cc
  config.cc
  gpu/context_limits.cc
  memory/context_memory.cc
  memory/copy_batch.cc
  api/counters.cc
  api/default_call.cc
  gpu/device.cc
  gpu/device_attributes.cc
  process/device_files.cc
  launch/driver_launch.cc
  error_text.cc
  handle.cc
  stream/event.cc
  process/exit_report.cc
  process/fault_rules.cc
  process/faults.cc
  process/foreign_libraries.cc
  process/fork_guard.cc
  graph/graph.cc
  graph/graph_condition.cc
  graph/graph_dot.cc
  graph/graph_exec.cc
  graph/graph_memory.cc
  graph/graph_query.cc
  graph/graph_replay.cc
  graph/graph_update.cc
  gpu/green_context.cc
  api/host_cost.cc
  stream/host_executor.cc
  launch/kernel.cc
  launch/kernel_attributes.cc
  launch/launch.cc
  launch/launch_attention.cc
  launch/launch_cost.cc
  launch/launch_attributes.cc
  launch/launch_log.cc
  launch/launch_rows.cc
  launch/launch_structs.cc
  memory/managed_memory.cc
  launch/mangled_name.cc
  library_call.cc
  launch/linker.cc
  launch/image.cc
  memory/ipc_event.cc
  memory/ipc_memory.cc
  memory/memory.cc
  memory/mapped_pages.cc
  memory/memory_effects.cc
  memory/memory_file.cc
  stream/memory_operation.cc
  memory/memory_pool.cc
  memory/memory_pool_attributes.cc
  memory/memory_pool_place.cc
  launch/module.cc
  gpu/occupancy.cc
  memory/page_segments.cc
  launch/ptx.cc
  semantics/semantic_kernels.cc
  memory/shareable_handle.cc
  gpu/sm_booking.cc
  gpu/sm_log.cc
  gpu/sm_profile.cc
  gpu/sm_sharing.cc
  memory/sparse_bytes.cc
  semantics/concat_call.cc
  semantics/cub_call.cc
  semantics/elementwise_call.cc
  semantics/foreach_call.cc
  semantics/functor.cc
  semantics/functor_table.cc
  semantics/index_call.cc
  semantics/iterator.cc
  semantics/kernel_name.cc
  semantics/operands.cc
  semantics/range_call.cc
  semantics/reduce_call.cc
  semantics/scalar_type.cc
  semantics/scale_call.cc
  semantics/sort_call.cc
  stream/stream.cc
  stream/open_work.cc
  stream/submit.cc
  memory/texture.cc
  thread_state.cc
  stream/timeline.cc
  memory/transfer.cc
  graph/user_object.cc
  memory/virtual_memory.cc
  stream/work_activity.cc
  stream/work_order.cc
  memory/written_memory.cc
  ${cbid_tables}
  ${error_tables})
target_include_directories(dltapsim PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
target_include_directories(dltapsim SYSTEM PRIVATE ${DLTAP_CUDA_ROOT}/include)
target_compile_options(dltapsim PRIVATE -fno-semantic-interposition)
target_link_options(dltapsim PRIVATE
  -Wl,-z,defs -Wl,-z,nodelete -Wl,-Bsymbolic-functions -Wl,--enable-new-dtags)
target_link_libraries(dltapsim PRIVATE dltap_strict dltap_specs_generated
                      dltap_opmodel Threads::Threads)
set_target_properties(dltapsim PROPERTIES
  LIBRARY_OUTPUT_DIRECTORY ${DLTAP_SIMGPU_DIR}
  BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")

# What libraries whose file name tells the CUDA version say of themselves.
dltap_library(dltap_sim_versions13 SOURCES library_versions_cuda13.cc
              LIBS dltap_simgpu_flags)
target_include_directories(dltap_sim_versions13 SYSTEM PRIVATE
                           ${DLTAP_CUDA_ROOT}/include)
