package dev.heddle.collectives.nccl.timing;

import dev.heddle.spi.Setting;
import dev.heddle.units.SimTime;

/**
 * What host and driver of a machine take for a call. Calls are queued: what a host takes to queue one is seen only where
 * the GPU has ended the last one before.
 *
 * @param launch from the kernel's start to its first step, and from its last to the next kernel
 * @param channel more of it per channel beyond the first; NCCL's older versions fetch each channel's work by itself
 * @param call what a process takes to queue a call for all its GPUs
 * @param callChannel more of it per channel beyond the first
 * @param peer what a process takes to queue each message of a group of send and receive
 */
public record HostTiming(
    @Setting("from the kernel's start to its first step, and from its last to the next kernel") SimTime launch,
    @Setting(value = "more of it per channel beyond the first", def = "0 s") SimTime channel,
    @Setting(value = "what a process takes to queue a call for all its GPUs", def = "0 s") SimTime call,
    @Setting(value = "more of it per channel beyond the first", def = "0 s") SimTime callChannel,
    @Setting(value = "what a process takes to queue each message of a group of send and receive",
        def = "0 s") SimTime peer) {}
