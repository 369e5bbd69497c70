package dev.heddle.workload.megatron.program;

/**
 * Work of a rank's host.
 *
 * @param kernelSeconds its time for the launch of a kernel
 * @param copies of activations between the device's and its own memory
 */
record HostWork(double kernelSeconds, HostCopies copies) {}
