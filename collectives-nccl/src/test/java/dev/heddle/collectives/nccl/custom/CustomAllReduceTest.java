package dev.heddle.collectives.nccl.custom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.Provider;
import dev.heddle.testkit.contract.CollectiveContract;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The contract in one shot and in two, and the choice between them. */
class CustomAllReduceTest extends CollectiveContract<CustomAllReduceProvider.Settings> {
  private static final CustomAllReduceProvider.Settings BY_SIZE = settings(Optional.empty());

  private static CustomAllReduceProvider.Settings settings(Optional<DataSize> oneShot) {
    return new CustomAllReduceProvider.Settings(
        DataRate.ofGigabitsPerSecond(80), SimTime.ofNanos(700), SimTime.ofNanos(3_000), oneShot);
  }

  @Override
  protected Provider<CustomAllReduceProvider.Settings, CollectiveAlgorithm> provider() {
    return new CustomAllReduceProvider();
  }

  @Override
  protected List<CustomAllReduceProvider.Settings> settings() {
    return List.of(BY_SIZE, settings(Optional.of(DataSize.ofBytes(0))), settings(Optional.of(DataSize.ofKiB(1 << 20))));
  }

  @Override
  protected boolean serves(CollectiveOp op, int ranks) {
    return op == CollectiveOp.ALL_REDUCE;
  }

  @Test
  void shouldTakeOneShotBelowTheSizeOfItsNumberOfRanks() {
    assertThat(BY_SIZE.oneShotBytes(2)).isEqualTo(Long.MAX_VALUE);
    assertThat(BY_SIZE.oneShotBytes(4)).isEqualTo((512 << 10) - 1);
    assertThat(BY_SIZE.oneShotBytes(8)).isEqualTo((256 << 10) - 1);
  }

  @Test
  void shouldPaceEachPeerAtItsShareOfTheLinks() {
    // Seven peers share 10 GB/s: 0.7 ns, 700 ps, per byte of each.
    assertThat(BY_SIZE.protocol(8).costs().portPsPerByte()).isCloseTo(700, within(1e-6));
    assertThat(BY_SIZE.protocol(8).costs().startPs()).isEqualTo(3_700_000);
  }
}
