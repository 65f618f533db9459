# SPDX-License-Identifier: Apache-2.0
"""The table of hostile programs: what is run, under which circumstances."""

import dataclasses

FORK_WAYS = ("fork", "vfork", "_Fork", "clone", "spawn", "exec")

MODES = {
    "threads": ("many_at_once", "many_first", "short_ones", "small_stacks",
                "small_stacks_after_work", "key_destructors", "cancel_pending",
                "cancel_pending_after_work", "cancel_deferred", "detached",
                "errors_per_thread", "errno_stays"),
    "signals": ("handler_is_first", "raised_launches", "storm_restart",
                "storm_no_restart", "jump_storm", "default_term",
                "term_while_threads_launch", "segfault", "segfault_caught",
                "alternate_stack", "blocked_and_pending", "signal_descriptor",
                "ignored_child", "profiler_timer", "forks_in_handlers",
                "timers_of_threads", "thread_takes_signals",
                "dispatched_calls", "rounds_up_and_traps",
                "traps_at_the_first_call"),
    "endings": ("return", "exit_in_handler", "_exit", "exit_group",
                "quick_exit", "abort", "abort_handled",
                "exit_in_signal_handler", "exit_in_thread",
                "pthread_exit_in_main", "pthread_exit_alone",
                "pthread_exit_before_work", "pthread_exit_then_term",
                "exit_while_threads_launch", "reset_then_return", "kill",
                "buffers_are_written", "closed_stdout", "exit_in_exit_handler",
                "quick_exit_handlers", "abort_in_exit_handler",
                "killed_in_exit_handler", "handlers_register_handlers",
                "exit_in_callback", "abort_in_callback", "fork_in_callback",
                "signal_in_callback"),
    "files": ("plain", "close_all_after", "close_all_before",
              "closed_standard", "own_file_as_stderr", "broken_stderr",
              "taken_descriptors", "file_size_limit", "file_size_limit_later",
              "descriptor_limit", "no_descriptor_left", "memory_limit",
              "memory_limit_later", "process_limit", "set_user_before",
              "set_user_after", "umask", "removed_folder", "changed_root",
              "changed_root_later", "removed_output", "truncated_output",
              "refused_calls", "refused_calls_later", "trapped_calls_later",
              "trapped_calls_of_the_last_thread", "strict_thread",
              "clean_exec", "lowest_descriptor",
              "no_descriptor_allowed_later", "no_proc_later",
              "changed_root_of_the_last_thread", "many_mappings",
              "locked_memory", "thread_closes_its_own", "closed_at_exec",
              "thread_unshares"),
    "processes": ("vfork_storm", "spawn_closing_all", "shared_memory",
                  "nested_forks", "daemonize", "traced_child", "stopped",
                  "small_signal_stack", "filled_shared_memory",
                  "environment_race", "own_title", "threads_of_our_name",
                  "no_variables_at_all", "runs_from_memory", "deletes_itself",
                  "fixed_addresses", "thread_execs", "reaps_orphans",
                  "nothing_to_wait_for", "raw_clones"),
    "loading": ("local", "global", "deepbind", "namespace", "message_stays",
                "missing", "missing_message", "missing_from_handle",
                "two_copies", "plugin_constructor", "unloaded_cupti",
                "forks_meanwhile"),
    "unwind": ("exceptions", "first_call_throws", "in_threads", "uncaught",
               "uncaught_in_thread", "noexcept_frame", "jumps",
               "jumps_then_deeper", "thread_ends_inside", "cancelled_inside"),
    "own_symbols": ("own_function", "versions"),
    "own_dlsym": ("lookups", "own_function"),
    "jobs": ("rotated_log", "cleaned_shared_memory", "moving_affinity",
             "real_time", "real_time_before", "deadline", "idle", "debugged",
             "not_dumpable", "strange_names", "killed_workers", "fork_server",
             "checkpoint_by_fork", "dies_with_its_parent", "fork_handlers",
             "fork_in_handlers", "executes_itself", "timer_threads",
             "processor_time_limit", "thread_without_descriptors",
             "first_with_own_descriptors"),
    "sandboxes": ("no_core", "no_locked_memory", "no_signals",
                  "no_signals_later", "small_stack", "huge_stack", "no_data",
                  "no_queues", "no_file_size", "no_file_size_later",
                  "locked_user", "small_default_stacks", "no_capabilities",
                  "no_capabilities_before", "private_user", "no_new_rights",
                  "landlocked", "landlocked_later", "executable_data",
                  "own_user_later", "other_processes", "first_process",
                  "other_time", "no_mounts", "full_shared_memory",
                  "output_read_only_later", "output_unmounted", "moved_output",
                  "read_only_folder", "long_output", "odd_output",
                  "wrong_output", "no_environment", "moves_then_works",
                  "no_writable_code", "no_huge_pages", "slow_timers",
                  "idle_priority"),
    "device": ("many_variants", "many_sizes", "many_streams", "many_events",
               "long_names", "toggled", "graphs_that_go", "capture_left_open",
               "capture_of_a_thread_that_ends", "capture_that_fails",
               "reset_again", "coroutines", "wandering_coroutines",
               "destructors", "many_handlers", "host_functions",
               "small_stack_storm", "ranges_on_small_stacks", "reload_storm",
               "shared_memory"),
    "systems": ("ring_of_requests", "polled_ring", "polled_ring_at_the_end",
                "little_locked_memory", "asynchronous_files", "event_loop",
                "old_kernel", "no_scheduler", "killed_for_events",
                "killed_for_events_later", "reads_all_memory",
                "advises_all_memory", "protected_keys", "memory_policy",
                "real_time_disk", "real_time_limit", "pivots_root",
                "unshares_all", "without_arguments", "huge_arguments",
                "many_arguments", "old_personality", "without_threads",
                "background_of_terminal", "full_log"),
    "barriers": ("after_work", "before_work", "at_the_end",
                 "no_alternate_stack", "deep_handler", "blocked_at_first",
                 "handled_later", "waited_for"),
    "runtimes": ("counts_its_objects", "destructors_of_threads",
                 "first_call_in_a_destructor", "first_call_in_an_exit_handler",
                 "aborts_in_a_destructor", "terminate_handler_launches",
                 "throws_in_an_exit_handler", "many_exit_at_once",
                 "stack_ends_inside_calls", "language_coroutines", "futures",
                 "one_address", "generated_code", "stack_in_the_program"),
    "runtimes_fixed": ("one_address", "generated_code",
                       "destructors_of_threads"),
    "changes": ("descriptor_limit_later", "stack_limit_later",
                "process_limit_later", "thread_drops_user",
                "thread_drops_user_first", "locks_later",
                "own_table_of_descriptors", "seals_everything",
                "faults_by_itself", "stacks_that_go", "moves_all_code",
                "gives_memory_back", "no_cycle_counter", "no_processor_id",
                "patches_own_table", "module_of_memory", "module_is_replaced",
                "works_before_constructors"),
    "onlookers": ("stopped_often", "stopped_at_first", "calls_traced",
                  "calls_traced_at_first", "stepped_through",
                  "ends_while_others_are_held", "others_are_held_for_long",
                  "forks_while_others_are_held", "checkpointed", "frozen"),
    "storage": ("first_work", "threads"),
    "events": ("samples_itself", "counts_all", "forks_at_the_begin",
               "closes_all_beyond", "many_switches"),
    "python": ("plain", "threads", "fork", "spawn", "forkserver",
               "subprocesses", "interrupted", "handler_runs", "fault",
               "leaves_at_once", "exits_in_thread", "at_exit", "raises",
               "few_descriptors", "closes_all", "execs", "forks_in_thread",
               "sub_interpreters", "dumps_later", "pool", "shared_blocks",
               "traced_functions", "loop_of_events", "prepared_children"),
}


@dataclasses.dataclass(frozen=True)
class Case:
    """One program, run bare and tapped.

    `before`, `behind`: preloaded around the tap, alone in the bare run.
    `may_speak`: the tap has something to tell its user, in lines of its own.
    """
    program: str
    arguments: tuple = ()
    before: tuple = ()
    behind: tuple = ()
    variables: tuple = ()
    audit: str = ""  # in LD_AUDIT
    output: str = ""
    root: bool = False
    may_speak: bool = False

    @property
    def name(self):
        words = [self.program, *self.arguments]
        words += [f"behind:{name}" for name in self.before]
        words += [f"before:{name}" for name in self.behind]
        words += [name for name, _ in self.variables]
        words += [f"audited:{self.audit}"] if self.audit else []
        return " ".join(words + ([self.output] if self.output else []))


# The tap cannot work there and says so once.
SPEAKS = {
    "files": {"no_descriptor_left", "memory_limit", "memory_limit_later",
              "process_limit", "set_user_before", "changed_root",
              "removed_folder", "file_size_limit", "file_size_limit_later",
              "removed_output", "truncated_output", "refused_calls",
              "refused_calls_later", "trapped_calls_later", "umask",
              "descriptor_limit", "taken_descriptors", "close_all_after"},
    "loading": {"namespace"},
    "python": {"few_descriptors", "closes_all"},
    "jobs": {"deadline"},
    "sandboxes": {"no_file_size", "no_file_size_later", "landlocked",
                  "read_only_folder", "long_output", "wrong_output", "no_data",
                  "output_read_only_later", "private_user", "locked_user"},
    "systems": {"without_threads"},
    "events": {"closes_all_beyond"},
}
ROOT = {"process_limit", "set_user_before", "set_user_after", "changed_root",
        "changed_root_later", "no_proc_later",
        "changed_root_of_the_last_thread", "locked_memory",
        "filled_shared_memory", "real_time", "real_time_before", "deadline",
        "locked_user", "no_capabilities", "no_capabilities_before",
        "private_user", "other_processes", "first_process", "other_time",
        "no_mounts", "full_shared_memory", "output_read_only_later",
        "output_unmounted", "read_only_folder", "real_time_limit",
        "pivots_root", "unshares_all", "process_limit_later",
        "thread_drops_user", "thread_drops_user_first", "frozen",
        "little_locked_memory"}


def mode_cases():
    for program, modes in MODES.items():
        for mode in modes:
            # "unwind" has a vendor without CUPTI.
            yield Case(program, (mode,), root=mode in ROOT,
                       may_speak=program == "unwind" or
                       mode in SPEAKS.get(program, ()))


def fork_cases():
    for way in FORK_WAYS:
        for handlers in ("handler", "none"):
            for threads in ("1", "64"):
                yield Case("forks", (way, handlers, threads))
        yield Case("forks", (f"first_{way}", "handler", "1"))


def host_cases():
    """Other libraries in the process: allocators, sanitizers, interposers."""
    for library in ("jemalloc", "tcmalloc", "mimalloc"):
        for mode in ("short_ones", "many_first", "key_destructors"):
            yield Case("threads", (mode,), before=(library,))
            yield Case("threads", (mode,), behind=(library,))
        yield Case("forks", ("fork", "handler", "64"), before=(library,))
    for mode in ("short_ones", "key_destructors", "cancel_deferred",
                 "errno_stays"):
        yield Case("asan_shared", (mode,), before=("asan",))
        yield Case("asan_static", (mode,))
    for mode in ("return", "exit_in_thread"):
        yield Case("endings", (mode,), before=("interposer",))
        yield Case("endings", (mode,), behind=("interposer",))
    for program, mode in (("files", "plain"), ("loading", "local"),
                          ("threads", "short_ones")):
        yield Case(program, (mode,), audit="audit")
    yield Case("files", ("plain",), before=("false_clock",))
    yield Case("files", ("plain",), behind=("false_clock",))


def variable_cases():
    many = tuple((f"HOSTILE_LARGE_{i}", "x" * 100_000) for i in range(10))
    yield Case("files", ("plain",), variables=many[:1])
    yield Case("threads", ("errno_stays",), variables=many)
    wrong = (("DLTAP_NO_SUCH_NAME", "1"), ("DLTAP_LOG", "off"))
    for mode in ("plain", "broken_stderr", "own_file_as_stderr"):
        yield Case("files", (mode,), variables=wrong)
    loud = (("DLTAP_NO_SUCH_NAME", "1"),)
    for mode in ("broken_stderr", "own_file_as_stderr"):
        yield Case("files", (mode,), variables=loud)
    for name, value in (("LD_BIND_NOW", "1"), ("LD_BIND_NOT", "1"),
                        ("MALLOC_PERTURB_", "165"), ("MALLOC_ARENA_MAX", "1"),
                        ("GLIBC_TUNABLES", "glibc.pthread.rseq=0"),
                        ("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0")):
        yield Case("files", ("plain",), variables=((name, value),))
    sticky = (("DLTAP_SIM_FAULTS", "launch:100:700"),)
    yield Case("device", ("fails_for_good",), variables=sticky)
    off = (("DLTAP_DISABLE", "1"),)
    for program, mode in (("loading", "local"), ("loading", "two_copies"),
                          ("threads", "cancel_pending"),
                          ("endings", "pthread_exit_in_main"),
                          ("files", "strict_thread")):
        yield Case(program, (mode,), variables=off)


def output_cases():
    for output in ("full", "tiny", "missing", "a_file", "no_files",
                   "read_only"):
        yield Case("files", ("plain",), output=output, may_speak=True,
                   root=output in ("full", "tiny"))
    yield Case("threads", ("many_first",), output="tiny", may_speak=True,
               root=True)
    yield Case("sandboxes", ("full_then_free",), output="tiny",
               may_speak=True, root=True)


def all_cases():
    for family in (mode_cases, fork_cases, host_cases, variable_cases,
                   output_cases):
        yield from family()


BOTH = ("host", "kernels")
KERNELS = ("kernels",)

# Known differences, by the name of the case: why it fails, and at which levels.
# A case that no longer differs must leave this table.
PROFILER_LIVES = "a thread of the simulated CUPTI outlives the program's"
EXPECTED_FAILURES = {
    "files descriptor_limit":
        ("below a limit of 864 the tap's descriptors count", BOTH),
    "python few_descriptors":
        ("below a limit of 864 the tap's descriptors count", BOTH),
    "files memory_limit_later":
        ("the simulated CUPTI throws where memory is limited", KERNELS),
    "sandboxes own_user_later":
        ("a process with a second thread gets no user namespace; the "
         "driver's threads are such, too", BOTH),
    "endings pthread_exit_in_main": (PROFILER_LIVES, KERNELS),
    "endings pthread_exit_alone": (PROFILER_LIVES, KERNELS),
    "endings pthread_exit_before_work": (PROFILER_LIVES, KERNELS),
    "files trapped_calls_of_the_last_thread": (PROFILER_LIVES, KERNELS),
    "files changed_root_of_the_last_thread": (PROFILER_LIVES, KERNELS),
    "systems polled_ring_at_the_end": (PROFILER_LIVES, KERNELS),
    "barriers handled_later":
        ("the thread of the simulated CUPTI has the mask of its first day",
         KERNELS),
    "loading missing_message":
        ("the message of a miss names the C library instead of the program",
         BOTH),
}

# The same, for what happens now and then: these may pass.
IN_HANDLERS = "locks of the simulation are not for handlers; hangs bare, too"
SOMETIMES = {
    "threads cancel_pending":
        ("the first thread of all ends at once, while the session opens", BOTH),
    "signals storm_restart": (IN_HANDLERS, BOTH),
    "signals storm_no_restart": (IN_HANDLERS, BOTH),
    "sandboxes no_data":
        ("of the last memory the simulation, which throws, lacks what the "
         "tap's thread took", BOTH),
    "changes no_cycle_counter":
        ("a thread that gets a ring, if one is ready, reads the time by the "
         "instruction that the program forbids", BOTH),
    "signals handler_is_first":
        ("a file of the tap takes the lowest descriptor for a moment", BOTH),
} | {
    f"forks {words}":
        ("a forked child inherits a locked mutex of the simulated CUPTI",
         KERNELS)
    for words in ("fork handler 64", "fork none 64",
                  "fork handler 64 behind:jemalloc",
                  "fork handler 64 behind:tcmalloc")
}
