package dev.heddle.workload.traffic;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Setting;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;

/**
 * Timing of a host channel adapter and its host: all between a program's verb and the wire, except the links.
 *
 * @param post time in which the processor builds a work request and writes the doorbell
 * @param process time from the doorbell's arrival at the adapter to its first action
 * @param gap least time between the beginnings of two messages of one queue pair
 * @param receiveGap least time between two messages that one queue pair accepts into posted receives
 * @param readGap least time between two remote reads that one queue pair answers
 * @param receive time from a packet's arrival to the first byte of its write to memory; packets overlap
 * @param poll time in which the processor detects the arrival of data
 * @param memory time from a read request's arrival at the host to the first byte of its completion; requests overlap
 * @param completion time in which the adapter makes a completion queue entry
 * @param workRequest bytes of a work request written with the doorbell
 * @param completionEntry bytes of a completion queue entry
 * @param inline largest payload that is part of the work request, so that the adapter need not read memory
 * @param readRequest largest size of one PCIe read (MRRS)
 * @param reads number of outstanding PCIe reads
 * @param initialReads PCIe reads issued after idle time before the first completions must all have returned; then
 *     {@code reads} are outstanding in a sliding window
 * @param rdmaReads number of outstanding RDMA reads
 */
public record Hca(
    @Setting("time in which the processor builds a work request and writes the doorbell") SimTime post,
    @Setting("time from the doorbell's arrival at the adapter to its first action") SimTime process,
    @Setting("least time between the beginnings of two messages of one queue pair") SimTime gap,
    @Setting("least time between two messages that one queue pair takes into posted receives") SimTime receiveGap,
    @Setting("least time between two remote reads that one queue pair answers") SimTime readGap,
    @Setting("time from a packet's arrival to its write to memory; packets overlap") SimTime receive,
    @Setting("time in which the processor sees that data has come") SimTime poll,
    @Setting("time from a read request's arrival at the host to its completion's departure") SimTime memory,
    @Setting("time in which the adapter makes a completion queue entry") SimTime completion,
    @Setting(value = "bytes of a work request written with the doorbell", def = "64 B", min = "1 B",
        max = "4 KiB") DataSize workRequest,
    @Setting(value = "bytes of a completion queue entry", def = "64 B", min = "1 B",
        max = "4 KiB") DataSize completionEntry,
    @Setting(value = "the largest payload that travels with the work request", def = "220 B", max = "4 KiB",
        source = "perftest's default for RC") DataSize inline,
    @Setting(value = "the most that one PCIe read asks for", def = "512 B", min = "64 B", max = "4 KiB",
        source = "PCIe MRRS, a common default") DataSize readRequest,
    @Setting(value = "PCIe reads outstanding at once", def = "64", min = "1", max = "1024") int reads,
    @Setting(value = "PCIe reads issued after idle before all of them must have completed", def = "64", min = "1",
        max = "1024") int initialReads,
    @Setting(value = "RDMA reads outstanding at once", def = "16", min = "1", max = "1024",
        source = "perftest reports 16 outstanding reads") int rdmaReads) {
  /** Checks that the settings are consistent. */
  public Hca {
    if (initialReads > reads) {
      throw new InvalidSettingException(
          "initialReads", initialReads + " is more than the " + reads + " reads that may be outstanding at all");
    }
  }
}
