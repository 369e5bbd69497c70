package dev.heddle.network.packet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.results.Results;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.sim.SimulationOptions.Memoization;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.Switch;
import dev.heddle.spi.Workload;
import dev.heddle.tier.TierPlan;
import dev.heddle.units.Fraction;
import dev.heddle.units.RandomStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Long messages on random trees with drawn and adaptive routes: where their steady state is sampled, times are those of
 * a run of every packet but for a small error, and nothing is lost.
 */
class SampledForwardTest {
  private static final int SEEDS = 24;

  private static Simulation simulation(long seed) {
    RandomStream random = RandomStream.of(seed, "sampled", "shape");
    int payload = 512 << random.nextInt(3);
    Link edge = Fixtures.link(200, 50 + random.nextInt(300), payload, 30, 40_000 + random.nextInt(60_000));
    Link trunk = Fixtures.link(
        200 * (1 << random.nextInt(2)), 50 + random.nextInt(300), payload, 30, 40_000 + random.nextInt(60_000));
    TierPlan.Selection selection =
        random.nextInt(2) == 0 ? TierPlan.Selection.RANDOM : TierPlan.Selection.ADAPTIVE;
    Fabric fabric = Fabric.of(List.of(new Tier(
        "net", 1, Map.of(DeviceKind.ACCELERATOR, 4 + 2 * random.nextInt(4)), Optional.empty(),
        new Fixtures.Leaves(Fixtures.device(200, Switch.Switching.CUT_THROUGH), edge, trunk, 2, selection, false))));
    int shift = 1 + random.nextInt(3);
    Workload workload = Fixtures.burst(1, 12_000_000, (rank, ranks, own) -> (rank + shift) % ranks);
    return new Simulation("sampled", fabric, workload, SimulationOptions.defaults(), seed);
  }

  private static Results run(Simulation simulation, SimulationOptions options) {
    return new Simulation(
        simulation.name(), simulation.fabric(), simulation.workload(), options, simulation.seed()).run();
  }

  private static double metric(Results results, String id) {
    return results.metrics().stream().filter(metric -> metric.id().equals(id)).findFirst().orElseThrow().value();
  }

  @Test
  void shouldKeepTimesButForASmallError() {
    SimulationOptions options = SimulationOptions.defaults().sampling(Fraction.of(0.03));
    double errors = 0;
    double skipped = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      Simulation simulation = simulation(seed);
      Results full = run(simulation, SimulationOptions.defaults());
      Results sampled = run(simulation, options);

      double error = metric(sampled, "fct") / metric(full, "fct") - 1;
      assertThat(error).as("mean time of messages, seed %d", seed).isCloseTo(0, within(0.04));
      assertThat(metric(sampled, "messages.delivered")).isEqualTo(metric(full, "messages.delivered"));
      assertThat(metric(sampled, "sampling.error")).isBetween(0.0, 3.0);
      assertThat(run(simulation, options)).as("the same run again, seed %d", seed).isEqualTo(sampled);
      errors += Math.abs(error) / SEEDS;
      skipped += metric(sampled, "sampling.skipped") / SEEDS;
    }
    assertThat(errors).as("mean error").isLessThan(0.01);
    assertThat(skipped).as("percent of the time").isGreaterThan(25);
  }

  @Test
  void shouldSimulateEveryPacketWithoutATolerance() {
    assertThat(run(simulation(1), SimulationOptions.defaults()).metrics())
        .noneMatch(metric -> metric.id().startsWith("sampling"));
  }

  @Test
  void shouldSayWhereNothingIsSampled() {
    SimulationOptions divided = SimulationOptions.defaults().sampling(Fraction.of(0.03)).parallel(2, 1);
    Results results = run(simulation(1), divided);
    assertThat(results.warnings()).singleElement().asString().contains("run.sampling has no effect", "one partition");
    assertThat(results.run().simulatedPs())
        .isEqualTo(run(simulation(1), SimulationOptions.defaults()).run().simulatedPs());
  }

  @Test
  void shouldRefuseToVerifySamples() {
    SimulationOptions sampled = SimulationOptions.defaults().sampling(Fraction.of(0.03));
    assertThatThrownBy(() -> sampled.memoization(Memoization.VERIFY)).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("samples are not exact");
  }
}
