// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SPECS_LAUNCHERS_H_
#define DLTAP_SHIM_SPECS_LAUNCHERS_H_

namespace dltap::specs {

// How a launcher tells a process its place in the job.
struct Launcher {
  const char* rank;   // variable of the environment: of all processes, from 0
  const char* ranks;  // how many there are; nullptr: it does not say
};

// The first that gives a rank counts, for it started the process itself: in a
// batch script SLURM_PROCID is 0 for all that mpirun or torchrun starts from
// it, and a pod has one completion index for all that torchrun starts in it.
inline constexpr Launcher kLaunchers[] = {
    {"RANK", "WORLD_SIZE"},                            // torchrun, accelerate
    {"HOROVOD_RANK", "HOROVOD_SIZE"},                  // horovodrun
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},  // Open MPI
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},    // MVAPICH2
    {"PMI_RANK", "PMI_SIZE"},                          // MPICH, Intel MPI
    {"JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE"},      // jsrun of LSF
    {"PMIX_RANK", nullptr},                            // prun, srun --mpi=pmix
    {"SLURM_PROCID", "SLURM_NTASKS"},                  // srun
    {"JOB_COMPLETION_INDEX", nullptr},                 // Kubernetes, indexed
};

}  // namespace dltap::specs

#endif  // DLTAP_SHIM_SPECS_LAUNCHERS_H_
