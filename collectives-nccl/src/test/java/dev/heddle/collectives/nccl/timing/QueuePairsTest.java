package dev.heddle.collectives.nccl.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.Protocol;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of rings whose connections have few queue pairs. */
class QueuePairsTest {
  private static final long BYTES = 1L << 34;
  private static final int RANKS = 16;
  private static final double NODE = 80;

  private static CallTime gathering(int channels, int pairs) {
    NetworkTiming network = Machines.network(NODE, 0, 0, 8, Optional.empty(), Optional.empty()).toBuilder()
        .pair(Machines.rate(4)).build().withPairs(pairs);
    MachineTiming machine =
        new MachineTiming(Machines.gpu(1e6, 1e6, 0, 0), Machines.host(), Optional.of(network));
    return Machines.timing(machine, RANKS, 2).collective(
        CollectiveOp.ALL_GATHER, BYTES, new Execution(Algorithm.RING, Protocol.SIMPLE, channels), true);
  }

  // Each channel has a connection; 16 of them with one queue pair of 4 GB/s carry 64 of the NICs' 80 GB/s.
  @ParameterizedTest
  @CsvSource({"16, 1, 64", "16, 2, 80", "32, 1, 80", "8, 1, 32", "8, 2, 64", "8, 4, 80"})
  void shouldCarryWhatQueuePairsDoUnlessNicsDoLess(int channels, int pairs, double rate) {
    CallTime time = gathering(channels, pairs);
    double moved = BYTES * (RANKS - 1.0) / RANKS;
    assertThat(moved / time.nanos()).isCloseTo(rate, within(0.01 * rate));
    assertThat(time.bound()).isEqualTo(Bound.NETWORK);
    // Bytes per picosecond.
    assertThat(time.channel().limit()).isCloseTo(4e-3 * pairs, within(1e-9));
  }
}
