package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.scenario.ScenarioReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** One machine on the published fabrics of scenarios/fabrics.yaml, with NICs of 400 Gb/s in one port or two. */
class FabricsTest {
  private static List<ScenarioFile.Point> points = List.of();

  @BeforeAll
  static void read() throws IOException {
    try (Registry registry = Registry.discover(FabricsTest.class.getClassLoader(), List.of())) {
      points = new ScenarioReader(registry).read(Path.of("..", "scenarios", "fabrics.yaml"), Map.of()).points();
    }
  }

  private static double time(String fabric, String operation) {
    return points.stream().filter(point -> point.parameters().values().containsAll(List.of(fabric, operation)))
        .findFirst().orElseThrow().scenario().simulation().run().metric("time").orElseThrow().value();
  }

  /** Two ports of 200 Gb/s carry as much as one of 400 Gb/s where each message takes the less loaded path. */
  @Test
  void shouldCarryAsMuchByTwoPortsWhenPathsAreChosenByLoad() {
    for (String operation : List.of("all_reduce", "all_to_all")) {
      double single = time("Spectrum-X", operation);
      assertThat(time("HPN", operation)).as(operation).isCloseTo(single, within(0.06 * single));
    }
  }

  /** Flows that hashes put on one port of two get half of the NIC's rate, with or without planes. */
  @Test
  void shouldLoseUpToHalfTheRateWhenHashesCollide() {
    for (String fabric : List.of("HPN by hash", "HPN in one plane by hash", "DCN+ by hash")) {
      assertThat(time(fabric, "all_reduce") / time("HPN", "all_reduce")).as(fabric).isBetween(1.2, 2.1);
    }
  }

  /** A GPU's share of 1 GiB leaves its node by a NIC of 400 Gb/s: 7 of 8 nodes' parts of the data of 8 GPUs. */
  @Test
  void shouldNotExceedWireWhenAllToAllCrossesNodes() {
    double wire = 7.0 / 8 * (1L << 30) * 8 / 400e3;
    for (String fabric : List.of("HPN", "Spectrum-X", "MPFT", "DCN+ by hash")) {
      assertThat(time(fabric, "all_to_all")).as(fabric).isGreaterThan(wire).isLessThan(1.5 * wire);
    }
  }
}
