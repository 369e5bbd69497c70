package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.scenario.ClassedProtocol;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.Simulation;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.testkit.fixture.OfferedMessages;
import dev.heddle.testkit.fixture.OfferedMessages.Offer;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Classes of control packets: latency beside queues of data, pauses, refusals, and protocols in all else the same. */
class ControlClassTest {
  private static final String STAR =
      TrafficClassTest.SWITCH + "workload: {type: collective, op: all_reduce, size: 1 KiB}\n";
  // Wire time of a frame without payload, of 84 B at least.
  private static final double ACKNOWLEDGEMENT_US = 84 * 8 / 100e3;
  private static final String CLASSES = "[{weight: 1}, {strict: true}]";

  private static Results run(Map<String, String> overrides, List<Offer> offers) {
    try (Registry registry = Registry.discover(ControlClassTest.class.getClassLoader(), List.of())) {
      Simulation parsed = new ScenarioReader(registry).parse("test.yaml", STAR, overrides).points().get(0).scenario()
          .simulation();
      return new Simulation(
          parsed.name(), parsed.fabric(), new OfferedMessages(offers), parsed.options(), parsed.seed(),
          parsed.fidelity(), parsed.collectives(), parsed.transport()).run();
    }
  }

  private static double first(Map<String, String> overrides, List<Offer> offers) {
    return run(overrides, offers).metric("acknowledged.first").orElseThrow().value();
  }

  private static Map<String, String> with(String control, Map<String, String> more) {
    Map<String, String> all = new LinkedHashMap<>(more);
    all.put(TrafficClassTest.CENTRE + "classes", CLASSES);
    if (!control.equals("none")) {
      all.put("transport.control-class", control);
    }
    return all;
  }

  /**
   * Two senders fill the queue towards host 0, by which the acknowledgements of its own message come. Host 0 sends an
   * acknowledgement for each packet that comes in between, besides its message.
   */
  @Test
  void shouldWaitForOnePacketWhenQueueIsDeepAndClassIsStrict() {
    Offer own = new Offer(0, 2, 400_000);
    List<Offer> all = List.of(own, new Offer(1, 0, 6_000_000), new Offer(3, 0, 6_000_000));
    double idle = first(with("1", Map.of()), List.of(own));
    double most = idle + TrafficClassTest.FRAME_US + 400_000 / 4096 * ACKNOWLEDGEMENT_US;

    assertThat(first(with("1", Map.of()), all)).isBetween(idle, most);
    assertThat(first(with("none", Map.of()), all)).isBetween(idle, most);
    assertThat(first(with("0", Map.of()), all)).isGreaterThan(idle + 50 * TrafficClassTest.FRAME_US);
  }

  /**
   * Host 2 acknowledges by a link that the switch pauses for its data: at once in a strict class, and with the data in
   * theirs.
   */
  @ParameterizedTest
  @CsvSource({"1, false", "none, false", "0, true"})
  void shouldPassPausesOnlyInClassOfItsOwn(String control, boolean isPaused) {
    Offer own = new Offer(0, 2, 400_000);
    List<Offer> all = new ArrayList<>(List.of(own));
    IntStream.range(2, 11).forEach(host -> all.add(new Offer(host, 11, 1_500_000)));
    Map<String, String> settings =
        with(control, Map.of(TrafficClassTest.CENTRE + "pfc.threshold", "50 KB"));
    double idle = first(settings, List.of(own));

    Results results = run(settings, all);

    assertThat(results.metric("pauses").orElseThrow().value()).isPositive();
    double ended = results.metric("acknowledged.first").orElseThrow().value();
    assertThat(ended > idle + TrafficClassTest.FRAME_US + 0.001).as("%s us, idle %s us", ended, idle)
        .isEqualTo(isPaused);
  }

  /** Headers of trimmed packets and grants of credit in a class of their own lose no byte, on any division. */
  @ParameterizedTest
  @ValueSource(strings = {"{type: uec, control: both, control-class: 1}", "{type: roce, control-class: 0}"})
  void shouldDeliverAllOnAnyNumberOfPartitions(String transport) {
    List<Offer> offers = new ArrayList<>();
    IntStream.range(1, 12).forEach(host -> offers.add(new Offer(host, 0, 700_000)));
    Map<String, String> settings = Map.of("transport", transport, "cluster.tiers[0].topology.centre",
        "{type: ethernet, queue: 60 KB, trimming: true, ecn: {min: 10 KB, max: 40 KB}, classes: " + CLASSES + "}");
    Map<String, String> divided = new LinkedHashMap<>(settings);
    divided.put("run.partitions", "3");

    Results whole = run(settings, offers);

    assertThat(whole.metric("messages.delivered").orElseThrow().value()).isEqualTo(11);
    assertThat(run(divided, offers)).isEqualTo(whole);
  }

  @Test
  void shouldRefuseClassThatSwitchesLack() {
    assertThatThrownBy(() -> run(with("2", Map.of()), List.of())).isInstanceOf(ScenarioException.class)
        .hasMessageContaining("transport.control-class: '2' is not allowed").hasMessageContaining("classes 0 to 1");
    assertThatThrownBy(() -> run(Map.of("transport.control-class", "9"), List.of()))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("transport.control-class");
  }

  @ParameterizedTest
  @ValueSource(strings = {"flow", "analytic"})
  void shouldWarnWhenFidelityHasNoClasses(String fidelity) {
    List<Offer> offers = List.of(new Offer(0, 1, 1000));
    assertThat(run(with("1", Map.of("fidelity", fidelity)), offers).warnings())
        .filteredOn(line -> line.contains("traffic classes")).hasSize(1);
    assertThat(run(Map.of("fidelity", fidelity), offers).warnings())
        .filteredOn(line -> line.contains("traffic classes")).isEmpty();
    assertThat(run(with("1", Map.of()), offers).warnings()).isEmpty();
  }

  /** A method of the interface that is not handed on would fall back to its default. */
  @Test
  void shouldHandOnEveryMethodOfTheProtocol() {
    List<String> own = Arrays.stream(ClassedProtocol.class.getDeclaredMethods()).map(Method::getName).toList();
    assertThat(own).containsAll(Arrays.stream(TransportProtocol.class.getDeclaredMethods())
        .filter(method -> !method.isSynthetic()).map(Method::getName).toList());
  }
}
