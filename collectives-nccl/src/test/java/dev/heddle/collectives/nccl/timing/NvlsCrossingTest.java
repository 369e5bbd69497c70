package dev.heddle.collectives.nccl.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.Protocol;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the messages of NVLSTree, which a proxy posts. */
class NvlsCrossingTest {
  private static final int CHANNELS = 16;
  private static final double MESSAGE = 3_000;

  private static double nanos(int nodes, double messageNs) {
    NetworkTiming network =
        Machines.network(1e6, Machines.LATENCY, messageNs, 8, Optional.empty(), Optional.empty());
    MachineTiming machine =
        new MachineTiming(Machines.gpu(1e6, 1e6, 0, 0), Machines.host(), Optional.of(network));
    return Machines.timing(machine, 8 * nodes, nodes).collective(
        CollectiveOp.ALL_REDUCE, 1 << 20, new Execution(Algorithm.NVLS_TREE, Protocol.SIMPLE, CHANNELS), false)
        .nanos();
  }

  // First chunks wait for their proxy at each crossing, up and down, which posts receives of all 16 channels and sends
  // of the 8 of one tree, three quarters of its posts in a loop; and once more as the only loop.
  @ParameterizedTest
  @CsvSource({"2, 2", "4, 4"})
  void shouldWaitForTheProxyAtEachCrossing(int nodes, int crossings) {
    double more = nanos(nodes, MESSAGE) - nanos(nodes, 0);
    assertThat(more).isCloseTo((0.75 * crossings + 1) * CHANNELS * MESSAGE, within(0.01 * more));
  }
}
