package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.Fidelity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Agreement of the three fidelities on an idle fabric: every algorithm over nodes, accelerators per node, operations
 * and sizes. The build runs a part of the sweep; {@code -Dheddle.sweep=full} runs all of it, in about two hours.
 */
class FidelitySweepTest {
  private static final boolean FULL = "full".equals(System.getProperty("heddle.sweep"));
  private static final Path EXCEPTIONS =
      Path.of("src", "test", "resources", "dev", "heddle", "verification", "fidelity-sweep-exceptions.txt");
  private static final double BOUND = 0.15;
  private static final double BANDWIDTH_BOUND = 0.05;

  /** Sizes from which bandwidth instead of latency determines the time. */
  private static final long BANDWIDTH_BOUND_BYTES = 64L << 20;

  private static final List<Integer> NODES = FULL ? List.of(1, 2, 4, 8) : List.of(1, 2);
  private static final List<Integer> PER_NODE = FULL ? List.of(1, 2, 4, 8) : List.of(1, 2, 8);
  private static final List<Long> SIZES = FULL
      ? List.of(64L << 10, 512L << 10, 4L << 20, 32L << 20, 256L << 20, 1L << 30) : List.of(64L << 10, 4L << 20);

  /** Algorithms, each with its cluster and operations. */
  enum Stack {
    /** NCCL on nodes of eight H100. */
    NCCL("{type: nccl, version: 2.27.7, timing: {gpu: {preset: nccl-hopper}, host: {launch: 8 us},"
        + " network: {node: 384 GB/s, latency: 5 "
        + "us}}}", "hgx-h100", CollectiveOp.ALL_REDUCE, CollectiveOp.ALL_GATHER, CollectiveOp.REDUCE_SCATTER,
        CollectiveOp.BROADCAST, CollectiveOp.ALL_TO_ALL),
    /** Neuron's algorithms on the same nodes. */
    NEURON("{type: neuron}", "hgx-h100", CollectiveOp.ALL_REDUCE, CollectiveOp.ALL_GATHER, CollectiveOp.REDUCE_SCATTER),
    /** A textbook ring. */
    RING("{type: ring}", "hgx-h100", CollectiveOp.ALL_REDUCE, CollectiveOp.ALL_GATHER, CollectiveOp.REDUCE_SCATTER,
        CollectiveOp.BROADCAST),
    /** Recursive halving and doubling. */
    HALVING_DOUBLING("{type: halving-doubling}", "hgx-h100", CollectiveOp.ALL_REDUCE),
    /** Recursive doubling. */
    RECURSIVE_DOUBLING("{type: recursive-doubling}", "hgx-h100", CollectiveOp.ALL_REDUCE),
    /** Direct exchange. */
    DIRECT("{type: direct}", "hgx-h100", CollectiveOp.ALL_TO_ALL, CollectiveOp.ALL_GATHER),
    /** The ring of oneCCL's scale-out, with its exchange within a node. */
    ONECCL("{type: oneccl, scale-out: ring}", "hgx-h100", CollectiveOp.ALL_REDUCE),
    /** Binomial tree. */
    TREE("{type: binomial-tree}", "hgx-h100", CollectiveOp.BROADCAST, CollectiveOp.REDUCE);

    private final String algorithm;
    private final String cluster;
    private final ImmutableList<CollectiveOp> ops;

    Stack(String algorithm, String cluster, CollectiveOp... ops) {
      this.algorithm = algorithm;
      this.cluster = cluster;
      this.ops = ImmutableList.copyOf(ops);
    }
  }

  private record Case(Stack stack, int nodes, int perNode, CollectiveOp op, long bytes) {
    double bound() {
      return bytes >= BANDWIDTH_BOUND_BYTES ? BANDWIDTH_BOUND : BOUND;
    }

    String key() {
      return stack + " " + nodes + "x" + perNode + " " + op.key() + " " + bytes;
    }

    double micros(Fidelity fidelity, Registry registry) {
      String group = IntStream.range(0, nodes)
          .boxed().flatMap(node -> IntStream.range(0, perNode).mapToObj(place -> Integer.toString(8 * node + place)))
          .collect(Collectors.joining(", "));
      String text = "name: sweep\ncluster: {preset: " + stack.cluster + "}\n"
          + "workload: {type: collective, op: " + op.key() + ", size: " + bytes + " B, groups: [[" + group + "]]}\n"
          + "collectives: " + stack.algorithm + "\n";
      Map<String, String> overrides = ImmutableMap.of(
          "fidelity", fidelity.name().toLowerCase(Locale.ROOT), "cluster.tiers.cluster.size", Integer.toString(nodes));
      return new ScenarioReader(registry).parse("sweep.yaml", text, overrides).points().get(0).scenario().simulation()
          .run().metric("collective." + op.key() + ".time").orElseThrow().value();
    }
  }

  @ParameterizedTest
  @EnumSource(Stack.class)
  void shouldTakeTheSameTimeAtAllFidelitiesWhenTheFabricIsIdle(Stack stack) throws IOException {
    List<String> faults = new ArrayList<>();
    Set<String> known = known();
    int compared = 0;
    try (Registry registry = Registry.discover(FidelitySweepTest.class.getClassLoader(), List.of())) {
      for (Case each : cases(stack)) {
        double packet = each.micros(Fidelity.PACKET, registry);
        double flow = each.micros(Fidelity.FLOW, registry);
        double analytic = each.micros(Fidelity.ANALYTIC, registry);
        compared++;
        boolean apart = Math.abs(flow / packet - 1) > each.bound() || Math.abs(analytic / packet - 1) > each.bound();
        if (apart != known.contains(each.key())) {
          faults.add((apart ? "" : "no exception any more, take it off the list: ")
              + "%s: packet %.2f us, flow %.2f us (%+.1f %%), analytic %.2f us (%+.1f %%)".formatted(
                  each, packet, flow, 100 * (flow / packet - 1), analytic, 100 * (analytic / packet - 1)));
        }
      }
    }
    assertThat(compared).isPositive();
    assertThat(faults).as("cases of %s beyond the bound, of %s", stack, compared).isEmpty();
  }

  private static Set<String> known() {
    return Reactor.text(EXCEPTIONS).lines().filter(line -> !line.startsWith("#"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static List<Case> cases(Stack stack) {
    List<Case> cases = new ArrayList<>();
    for (int nodes : NODES) {
      for (int perNode : PER_NODE) {
        for (CollectiveOp op : nodes * perNode > 1 ? stack.ops : ImmutableList.<CollectiveOp>of()) {
          SIZES.forEach(bytes -> cases.add(new Case(stack, nodes, perNode, op, bytes)));
        }
      }
    }
    return cases;
  }
}
