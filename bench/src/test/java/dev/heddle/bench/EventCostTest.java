package dev.heddle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.io.Resources;
import com.sun.management.ThreadMXBean;
import dev.heddle.bench.EventQueueBenchmark.Increment;
import dev.heddle.bench.PacketNetworkBenchmark.Traffic;
import dev.heddle.network.flow.FlowNetwork;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Costs of the benchmarks that do not depend on the machine: events, packet hops and messages, which are exact, and
 * bytes allocated per event in the steady state. {@code counts.csv} holds the counts of all benchmarks of networks; a
 * commit that changes a row gives the reason. Times are never looked at.
 */
class EventCostTest {
  /**
   * The bound of bytes per event. The smallest object has 16 B: one per 128 events breaks the bound. Below it are
   * arrays that still grow (0.08 B per event of flows by hash, none of flows by destination) and the counters that a
   * slice of the packet network reads (about 0.01 B per event).
   */
  private static final double MOST_BYTES_PER_EVENT = 1 / 8.0;
  private static final int RANKS = 256;

  /** Time of a message of 1 MiB on an idle link of 400 Gb/s, rounded up. */
  private static final long MESSAGE_PS = 21_000_000;
  private static final long SETTLED_PS = 60 * MESSAGE_PS;
  private static final long MEASURED_PS = 210 * MESSAGE_PS;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** Counts of a benchmark. */
  record Row(long events, long hops, long messages) {}

  @ParameterizedTest
  @EnumSource
  void shouldAllocateNothingWhenEventsAreHeld(Increment increment) {
    EventQueueBenchmark queue = new EventQueueBenchmark();
    queue.pending = 1000;
    queue.increment = increment;
    queue.fill();
    queue.holds();
    long before = THREADS.getCurrentThreadAllocatedBytes();
    queue.holds();
    assertFree(THREADS.getCurrentThreadAllocatedBytes() - before, 1 << 16);
  }

  @ParameterizedTest
  @EnumSource
  void shouldAllocateNothingWhenPacketNetworkIsInItsSteadyState(Traffic traffic) throws IOException {
    PacketNetworkBenchmark network = new PacketNetworkBenchmark();
    network.traffic = traffic;
    network.compose();
    PacketNetworkBenchmark.Counters counters = new PacketNetworkBenchmark.Counters();
    network.slice(counters);
    assertThat(new Row(counters.events, counters.hops, 0))
        .isEqualTo(row("packet " + traffic.name().toLowerCase(Locale.ROOT)));
    counters.clear();
    long before = THREADS.getCurrentThreadAllocatedBytes();
    network.slice(counters);
    assertFree(THREADS.getCurrentThreadAllocatedBytes() - before, counters.events);
  }

  @ParameterizedTest
  @ValueSource(strings = {"d-mod-k", "ecmp"})
  void shouldAllocateNothingWhenFlowNetworkIsInItsSteadyState(String routing) throws IOException {
    FlowNetwork network = flows(routing).allToAll();
    network.advance(SETTLED_PS);
    long events = network.measurements().events();
    long before = THREADS.getCurrentThreadAllocatedBytes();
    network.advance(MEASURED_PS);
    long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
    assertFree(allocated, network.measurements().events() - events);
  }

  @ParameterizedTest
  @ValueSource(strings = {"d-mod-k", "ecmp"})
  void shouldProcessTheSameEventsWhenFlowsExchangeMessages(String routing) throws IOException {
    FlowNetworkBenchmark.Counters counters = new FlowNetworkBenchmark.Counters();
    flows(routing).allToAll(counters);
    // Every rank sends to every other.
    assertThat(counters.messages).isEqualTo(RANKS * (RANKS - 1L));
    assertThat(new Row(counters.events, 0, counters.messages)).isEqualTo(row("flow all-to-all " + routing));
  }

  @Test
  void shouldProcessTheSameEventsWhenRingsReduce() throws IOException {
    FlowNetworkBenchmark.Counters counters = new FlowNetworkBenchmark.Counters();
    flows("d-mod-k").allReduce(counters);
    assertThat(new Row(counters.events, 0, 0)).isEqualTo(row("flow all_reduce d-mod-k"));
  }

  private static void assertFree(long bytes, long events) {
    assertThat(events).as("events").isGreaterThan(10_000);
    assertThat((double) bytes / events).as("%d bytes in %d events", bytes, events).isLessThan(MOST_BYTES_PER_EVENT);
  }

  private static FlowNetworkBenchmark flows(String routing) throws IOException {
    FlowNetworkBenchmark flows = new FlowNetworkBenchmark();
    flows.ranks = RANKS;
    flows.routing = routing;
    flows.compose();
    return flows;
  }

  private static Row row(String benchmark) throws IOException {
    Map<String, Row> rows = new TreeMap<>();
    Resources.readLines(Resources.getResource(EventCostTest.class, "counts.csv"), StandardCharsets.UTF_8).stream()
        .skip(1).map(line -> line.split(",", -1)).forEach(cells -> rows.put(cells[0],
            new Row(Long.parseLong(cells[1]), Long.parseLong(cells[2]), Long.parseLong(cells[3]))));
    assertThat(rows).containsKey(benchmark);
    return rows.getOrDefault(benchmark, new Row(-1, -1, -1));
  }
}
