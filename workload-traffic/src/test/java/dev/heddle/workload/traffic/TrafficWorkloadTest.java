package dev.heddle.workload.traffic;

import static dev.heddle.testkit.fixture.Records.with;

import dev.heddle.spi.Provider;
import dev.heddle.spi.Workload;
import dev.heddle.testkit.contract.WorkloadContract;
import dev.heddle.units.DataSize;
import dev.heddle.units.Fraction;
import dev.heddle.workload.traffic.TrafficWorkloadProvider.Arrivals;
import dev.heddle.workload.traffic.TrafficWorkloadProvider.Loop;
import dev.heddle.workload.traffic.TrafficWorkloadProvider.Pattern;
import dev.heddle.workload.traffic.TrafficWorkloadProvider.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

class TrafficWorkloadTest extends WorkloadContract<Settings> {
  @Override
  protected Provider<Settings, Workload> provider() {
    return new TrafficWorkloadProvider();
  }

  @Override
  protected List<Settings> settings() {
    List<Settings> all = new ArrayList<>();
    for (Pattern pattern : Pattern.values()) {
      Settings settings = Settings.of(pattern, Fraction.of(0.7));
      all.add(settings);
      all.add(with(settings, "arrivals", Arrivals.DETERMINISTIC, "loop", Loop.OPEN, "messages", Optional.of(50)));
      all.add(with(settings, "loop", Loop.CLOSED, "messages", Optional.of(20), "hotShare", Fraction.of(0.5), "targets",
          List.of(3, 7)));
    }
    all.add(with(Settings.of(Pattern.UNIFORM, Fraction.of(1)), "messageSize", DataSize.ofBytes(64)));
    all.add(Settings.of(Pattern.UNIFORM, Fraction.of(0)));
    for (SizeDistribution distribution : SizeDistribution.values()) {
      all.add(with(Settings.of(Pattern.UNIFORM, Fraction.of(0.5)), "sizeDistribution", Optional.of(distribution)));
    }
    return all;
  }

  @Override
  protected List<Settings> refusedSettings() {
    Settings uniform = Settings.of(Pattern.UNIFORM, Fraction.of(0.5));
    return List.of(
        new Settings(
            uniform.load(), Pattern.UNIFORM, uniform.messageSize(), Optional.empty(), Arrivals.POISSON, Loop.CLOSED,
            Optional.empty(),
            uniform.interShare(), 1, uniform.hotShare(), List.of(0), uniform.participants(), 0),
        with(uniform, "loop", Loop.OPEN, "messages", Optional.of(0)),
        with(uniform, "loop", Loop.CLOSED, "messages", Optional.of(1), "sizeDistribution",
            Optional.of(SizeDistribution.HADOOP)),
        with(Settings.of(Pattern.INCAST, Fraction.of(0.5)), "hotShare", Fraction.of(1), "targets", List.of()),
        with(Settings.of(Pattern.HOTSPOT, Fraction.of(0.5)), "hotShare", Fraction.of(1), "targets", List.of(2, 2)));
  }
}
