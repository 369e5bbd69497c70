package dev.heddle.collectives.nccl.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.rccl.MscclSchedules;
import org.junit.jupiter.api.Test;

/** Tests of exchanges between all pairs of a node's ranks, by hand. */
class AllPairsTest {
  private static final NcclVersion VERSION = NcclVersion.parse("2.22.3");

  private static double nanos(GpuTiming gpu, Protocol protocol, CollectiveOp op, long bytes) {
    Execution execution = new Execution(Algorithm.RING, new MscclSchedules.Schedule(protocol, 8), VERSION);
    return Machines.timing(Machines.node(gpu), 8, 1).collective(op, bytes, execution, false).nanos()
        - Machines.LAUNCH;
  }

  @Test
  void shouldExchangeTwiceAndSumWithSimple() {
    // 16 KiB for each of 8 channels and 8 ranks; blocks copy 10 bytes a nanosecond, and send as much as they receive.
    GpuTiming gpu = Machines.gpu(4000, 20, 700, 2000, 20);
    double shot = 700 + 2 * 2000 + 16384 / 10.0;
    double sums = 7 * 16384 / 8.0 / 20;
    assertThat(nanos(gpu, Protocol.SIMPLE, CollectiveOp.ALL_REDUCE, 1 << 20))
        .isCloseTo(2 * shot + 2 * 2000 + sums, within(1.0));
  }

  @Test
  void shouldExchangeOnceWithLinesForAllGather() {
    GpuTiming gpu = Machines.gpu(4000, 20, 700, 2000, 20);
    assertThat(nanos(gpu, Protocol.LL, CollectiveOp.ALL_GATHER, 1 << 20)).isCloseTo(700 + 16384 / 20.0, within(1.0));
  }

  @Test
  void shouldEndAtTheLinksRate() {
    // All blocks together send 7/8 of the call, twice.
    GpuTiming gpu = Machines.gpu(100, 1000, 0, 0, 2000);
    double bytes = 1L << 30;
    assertThat(nanos(gpu, Protocol.SIMPLE, CollectiveOp.ALL_REDUCE, 1L << 30))
        .isCloseTo(2 * bytes * 7 / 8 / 100, within(.02 * bytes / 50));
  }

  @Test
  void shouldSayWhatItRuns() {
    assertThat(new Execution(Algorithm.RING, new MscclSchedules.Schedule(Protocol.LL, 4), VERSION).title())
        .isEqualTo("AllPairs/LL");
  }
}
