package dev.heddle.collectives.nccl.calibration;

import com.google.common.collect.ImmutableMap;
import dev.heddle.collectives.nccl.timing.GpuTiming;
import dev.heddle.collectives.nccl.timing.LineTiming;
import dev.heddle.collectives.nccl.timing.NvlsTiming;
import dev.heddle.units.DataRate;
import dev.heddle.units.SimTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The constants of a GPU generation with their bounds. */
public final class GpuConstants {
  /** Rate of all NVLinks of a GPU in one direction, or of PCIe for GPUs without NVLink, GB/s [data sheets]. */
  private static final ImmutableMap<String, Double> LINKS =
      ImmutableMap.of("volta", 150.0, "ampere", 300.0, "hopper", 450.0, "blackwell", 900.0, "cdna", 448.0);

  private GpuConstants() {}

  /** Whether the link rate of a generation is known. */
  public static boolean known(String generation) {
    return LINKS.containsKey(generation);
  }

  /** The constants of a generation, in the order of {@link #values}. */
  public static List<Constant> of(String generation) {
    double links = LINKS.getOrDefault(generation, 450.0);
    List<Constant> all = new ArrayList<>(List.of(
        new Constant("port", "GB/s", "stores of all thread blocks over a GPU's links", 0.7 * links, 0.95 * links,
            "share of the links' rate that packets of 128 to 256 bytes leave: 0.7 to 0.95"),
        new Constant("copy", "GB/s", "one thread block that receives, adds and sends on, Simple", 8, 40,
            "one multiprocessor's loads and stores in flight over the latency of memory"),
        new Constant("own-copy", "GB/s", "one thread block that copies and does not add: own blocks, send and receive",
            8, 80,
            "as copy, up to twice without a peer's latency"),
        new Constant("slice", "us", "work on a slice besides its bytes: wait, fence, flag", 0.3, 5,
            "a poll, a barrier and a post, 0.3 us or more"),
        new Constant("seen", "us", "from the end of a slice until the next rank sees its flag", 0.3, 15,
            "a fence to system scope waits for stores in flight, 1 us or more of NVLink's latency"),
        new Constant("ll.rate", "GB/s", "one thread block with LL", 0.8, 12,
            "512 threads of 8 bytes over a round of 0.35 to 5 us; NCCL caps all at 39 to 282"),
        new Constant("ll.hop", "us", "a step of LL besides its bytes", 0.2, 2.5,
            "a store over NVLink; NCCL plans 0.6 us"),
        new Constant("ll128.rate", "GB/s", "one thread block with LL128", 3, 80,
            "640 threads of 15 bytes per lane over a poll; NCCL caps a channel at 20 to 40"),
        new Constant("ll128.hop", "us", "a step of LL128 besides its bytes", 0.3, 5,
            "NCCL plans 1.25 to 1.9 us"),
        new Constant("start", "us", "exchange of buffers before the first slice of Simple", 0.5, 15,
            "a store and a load over NVLink, 2 us, up to several")));
    if (generation.equals("hopper") || generation.equals("blackwell")) {
      all.add(new Constant("nvls.copy", "GB/s", "one channel of NVLS over the GPU's port", 12, 45,
          "as copy, with stores that the switches multicast"));
    }
    return List.copyOf(all);
  }

  /** The values of a timing, in the order of {@link #of}. */
  public static double[] values(GpuTiming timing) {
    double[] common = {timing.port().bytesPerNano(), timing.copy().bytesPerNano(), timing.ownCopy().bytesPerNano(),
        micros(timing.slice()), micros(timing.hop()), timing.ll().rate().bytesPerNano(), micros(timing.ll().hop()),
        timing.ll128().rate().bytesPerNano(), micros(timing.ll128().hop()), micros(timing.start())};
    if (timing.nvls().isEmpty()) {
      return common;
    }
    double[] all = java.util.Arrays.copyOf(common, common.length + 1);
    all[common.length] = timing.nvls().get().copy().bytesPerNano();
    return all;
  }

  /** The timing with a launch and with values in the order of {@link #of}. */
  public static GpuTiming timing(SimTime launch, double[] values) {
    return new GpuTiming(launch, rate(values[0]), rate(values[1]), rate(values[2]), time(values[3]),
        Optional.of(time(values[4])), new LineTiming(rate(values[5]), time(values[6])),
        new LineTiming(rate(values[7]), time(values[8])),
        time(values[9]),
        values.length > 10 ? Optional.of(new NvlsTiming(rate(values[10]), Optional.empty())) : Optional.empty());
  }

  static double micros(SimTime time) {
    return time.nanos() / 1e3;
  }

  static DataRate rate(double gigabytes) {
    return DataRate.ofGigabitsPerSecond(8 * gigabytes);
  }

  static SimTime time(double micros) {
    return SimTime.ofNanos(1e3 * micros);
  }
}
