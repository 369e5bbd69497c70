package dev.heddle.collectives.nccl.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.Protocol;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests of rings with LL128. */
class Ll128Test {
  private static double gathering(NcclTiming timing, double bytes, int channels) {
    Execution execution = new Execution(Algorithm.RING, Protocol.LL128, channels);
    return timing.collective(CollectiveOp.ALL_GATHER, Math.round(bytes), execution, false).nanos();
  }

  // A pass of LL128 has 640 threads of 60 bytes, one of LL 512 of 8: 9.375 times as much in 1.5 times as long.
  @Test
  void shouldTimeLl128ByLlWhenItHasNoTimesOfItsOwn() {
    GpuTiming stated = Machines.gpu(1e6, 2, Machines.HOP, 0);
    GpuTiming gpu = new GpuTiming(stated.launch(), stated.port(), stated.copy(), stated.ownCopy(), stated.slice(),
        stated.seen(), stated.ll(), Optional.empty(), stated.start(), Optional.empty());
    NcclTiming timing = Machines.timing(Machines.node(gpu), 8, 1);
    assertThat(gathering(timing, 8 * 38_400, 1))
        .isCloseTo(Machines.LAUNCH + 7_400 + 7 * (Machines.HOP + 38_400 / 12.5), within(20.0));
  }

  // A thread block alone has 20 GB/s, its share of the port 10 on the wire: both in turn within a node, where channels
  // wait at the same time, and the port alone where crossings part them.
  @Test
  void shouldKeepThePortBusyWhenCrossingsPartTheChannels() {
    GpuTiming gpu = Machines.gpu(100, 20, 0, 0);
    double chunk = 30_000;
    double wire = 128.0 / 120 * chunk / 10;
    assertThat(gathering(Machines.timing(Machines.node(gpu), 4, 1), 10 * 4 * chunk, 10))
        .isCloseTo(Machines.LAUNCH + 7_400 + 3 * (chunk / 20 + wire), within(20.0));
    double apart = gathering(Machines.timing(Machines.cluster(gpu, 1e6), 4, 2), 10 * 4 * chunk, 10);
    // On nodes of two GPUs half of all channels leave a GPU by NICs, so that the port has twice the share.
    assertThat(apart).isCloseTo(Machines.LAUNCH + 7_400 + 3 * Math.max(chunk / 20, wire / 2) + 2 * Machines.LATENCY,
        within(200.0));
  }
}
