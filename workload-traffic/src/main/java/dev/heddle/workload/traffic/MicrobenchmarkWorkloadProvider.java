package dev.heddle.workload.traffic;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadProvider;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;

/**
 * Provider of point-to-point microbenchmarks between two hosts: perftest's {@code ib_write}, {@code ib_read} and {@code
 * ib_send}, and the OSU latency test, modelled verb by verb with doorbells, PCIe reads and completions.
 */
@Plugin(id = "microbenchmark",
    description = "ib_write, ib_read, ib_send and osu_latency between two hosts, down to doorbells and PCIe reads")
public final class MicrobenchmarkWorkloadProvider implements WorkloadProvider<MicrobenchmarkWorkloadProvider.Settings> {
  /**
   * Settings of a microbenchmark.
   *
   * @param test the verb, or the MPI test
   * @param measure latency by ping-pong (reads one after another), or bandwidth in one direction
   * @param size payload of a message
   * @param iterations round trips, or messages in one direction
   * @param depth outstanding messages of the sender in a bandwidth test
   * @param hca the adapter and its host
   * @param mpi cost of an MPI library, for {@code osu-latency}
   */
  public record Settings(
      @Setting(value = "the verb, or the MPI test", def = "ib-write") Test test,
      @Setting(value = "latency by ping-pong, or bandwidth in one direction", def = "latency") Measure measure,
      @Setting(value = "payload of a message", def = "4 KiB", min = "1 B", max = "1 GiB") DataSize size,
      @Setting(value = "round trips, or messages in one direction", def = "2", min = "1",
          max = "1000000") int iterations,
      @Setting(value = "messages under way in a bandwidth test", def = "128", min = "1", max = "65536",
          source = "perftest's default transmit depth") int depth,
      @Setting("the adapter and its host") Hca hca,
      @Setting(value = "what an MPI library adds, for osu-latency", def = "{}") Mpi mpi) {}

  /** The benchmark. */
  public enum Test {
    /** RDMA write; the receiver polls memory. */
    IB_WRITE,
    /** RDMA read; the time is that of the whole operation. */
    IB_READ,
    /** Send and receive; the receiver polls its completion queue. */
    IB_SEND,
    /** MPI send and receive between two ranks: eager copies, or a rendezvous. */
    OSU_LATENCY
  }

  /** The measured quantity. */
  public enum Measure {
    /** Time of single messages. */
    LATENCY,
    /** Data rate of many messages. */
    BANDWIDTH
  }

  /**
   * The cost of an MPI library for a send.
   *
   * @param overhead of the library on either side, per message
   * @param eagerLimit largest message that is copied into a library buffer on both sides
   * @param copyRate of these copies
   */
  public record Mpi(
      @Setting(value = "time that the library takes on either side of a message", def = "100 ns") SimTime overhead,
      @Setting(value = "the largest message that is copied instead of negotiated", def = "16 KiB", max = "1 GiB",
          source = "Open MPI and MVAPICH defaults lie between 8 and 64 KiB") DataSize eagerLimit,
      @Setting(value = "rate of the library's copies", def = "10 GB/s",
          source = "one core's copy of cached data") DataRate copyRate) {}

  @Override
  public Workload create(Settings settings) {
    if (settings.test() == Test.OSU_LATENCY && settings.measure() == Measure.BANDWIDTH) {
      throw new InvalidSettingException("measure", "osu-latency measures latency alone");
    }
    return new Microbenchmark(settings);
  }
}
