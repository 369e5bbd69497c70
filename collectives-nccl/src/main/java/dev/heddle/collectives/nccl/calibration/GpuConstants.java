package dev.heddle.collectives.nccl.calibration;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.primitives.Doubles;
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

  // Generations whose stores over NVLink have at most 128 bytes, with a header each way.
  private static final ImmutableSet<String> STORES_OF_128 = ImmutableSet.of("ampere", "hopper", "blackwell");

  // Generations behind switches that reduce, whose LL128 follows from LL.
  private static final ImmutableSet<String> NVLS = ImmutableSet.of("hopper", "blackwell");
  private static final int COMMON = 8;

  private GpuConstants() {}

  /** Whether the link rate of a generation is known. */
  public static boolean known(String generation) {
    return LINKS.containsKey(generation);
  }

  /** The constants of a generation, in the order of {@link #values}. */
  public static List<Constant> of(String generation) {
    double links = LINKS.getOrDefault(generation, 450.0);
    List<Constant> all = new ArrayList<>(List.of(
        new Constant("port", "GB/s", "stores of all thread blocks over a GPU's links", 0.7 * links,
            (STORES_OF_128.contains(generation) ? 0.83 : 0.95) * links,
            STORES_OF_128.contains(generation)
                ? "share of the links' rate that stores of 128 bytes leave: about 0.8 [NVIDIA/nccl-tests issue 149]"
                : "share of the links' rate that packets of 128 to 256 bytes leave: 0.7 to 0.95"),
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
        new Constant("start", "us", "exchange of buffers before the first slice of Simple", 0.5, 15,
            "a store and a load over NVLink, 2 us, up to several")));
    if (!NVLS.contains(generation)) {
      all.add(new Constant("ll128.rate", "GB/s", "one thread block with LL128", 3, 80,
          "640 threads of 15 bytes per lane over a poll; NCCL caps a channel at 20 to 40"));
      all.add(
          new Constant("ll128.hop", "us", "a step of LL128 besides its bytes", 0.3, 5, "NCCL plans 1.25 to 1.9 us"));
    } else {
      all.add(new Constant("nvls.copy", "GB/s", "one channel of NVLS over the GPU's port", 12, 45,
          "as copy, with stores that the switches multicast"));
    }
    return List.copyOf(all);
  }

  /** The values of a timing, in the order of {@link #of}. */
  public static double[] values(GpuTiming timing) {
    double[] common = {timing.port().bytesPerNano(), timing.copy().bytesPerNano(), timing.ownCopy().bytesPerNano(),
        micros(timing.slice()), micros(timing.hop()), timing.ll().rate().bytesPerNano(), micros(timing.ll().hop()),
        micros(timing.start())};
    double[] lines = timing.ll128().map(each -> new double[] {each.rate().bytesPerNano(), micros(each.hop())})
        .orElse(new double[0]);
    double[] switches = timing.nvls().map(each -> new double[] {each.copy().bytesPerNano()}).orElse(new double[0]);
    return Doubles.concat(common, lines, switches);
  }

  /** The timing with a launch and with values in the order of {@link #of}. */
  public static GpuTiming timing(SimTime launch, double[] values) {
    boolean lines = values.length == COMMON + 2;
    return new GpuTiming(launch, rate(values[0]), rate(values[1]), rate(values[2]), time(values[3]),
        Optional.of(time(values[4])), new LineTiming(rate(values[5]), time(values[6])),
        lines ? Optional.of(new LineTiming(rate(values[COMMON]), time(values[COMMON + 1]))) : Optional.empty(),
        time(values[7]),
        lines ? Optional.empty() : Optional.of(new NvlsTiming(rate(values[COMMON]), Optional.empty())));
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
