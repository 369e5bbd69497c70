package dev.heddle.cli;

import dev.heddle.fabric.Fabric;
import dev.heddle.registry.Registry;
import dev.heddle.registry.RegistryException;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.InvalidSettingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the cluster of a command: a preset or a file, and the number of its nodes. */
public final class ClusterOptions {
  private static final int MOST_NODES = 1_000_000;
  private static final String FIELDS = "cluster.";
  private static final String NODES = "cluster.tiers[1].size";

  @Option(
      names = "--cluster",
      paramLabel = "PRESET|FILE",
      description = "The preset of a cluster or of one node, as 'heddle presets' lists them, such as hgx-h100, or"
          + " a file: a scenario, or nothing but a cluster.")
  private @Nullable String cluster;

  @Option(names = "--nodes", paramLabel = "N", description = "Nodes that take part; without it, all of the cluster's.")
  private @Nullable Integer nodes;

  @Option(
      names = "--set",
      paramLabel = "PATH=VALUE",
      description = "Overrides a field of the cluster, as in"
          + " --set cluster.tiers[1].topology.link.preset=infiniband-xdr.")
  private final Map<String, String> overrides = new LinkedHashMap<>();

  /**
   * Options as if they had been written.
   *
   * @param cluster a preset or a file
   * @param nodes that take part
   * @param overrides of fields, by path
   */
  public static ClusterOptions of(String cluster, int nodes, Map<String, String> overrides) {
    ClusterOptions options = new ClusterOptions();
    options.cluster = cluster;
    options.nodes = nodes;
    options.overrides.putAll(overrides);
    return options;
  }

  /** Whether a cluster is named. */
  public boolean given() {
    return cluster != null;
  }

  /**
   * The name of the cluster's preset or file.
   *
   * @throws InvalidSettingException when none is named
   */
  public String name() {
    if (cluster == null) {
      throw new InvalidSettingException("", "--cluster is needed: a preset, such as hgx-h100, or a scenario file");
    }
    return cluster;
  }

  /**
   * Plans the cluster, of as many nodes as asked for.
   *
   * @throws InvalidSettingException when none is named, there is no such file or preset, or it cannot have that many
   *     nodes
   * @throws dev.heddle.scenario.ScenarioException with everything that is wrong with it
   */
  public Fabric fabric(Registry registry) {
    if (nodes == null) {
      return read(registry, Map.of());
    }
    if (nodes < 1 || nodes > MOST_NODES) {
      throw new InvalidSettingException("", "--nodes " + nodes + ": must be 1 to " + MOST_NODES);
    }
    if (nodes == 1) {
      Fabric whole = read(registry, Map.of());
      if (whole.nodes() == 1) {
        return whole;
      }
    }
    try {
      return read(registry, Map.of(NODES, Integer.toString(nodes)));
    } catch (ScenarioException e) {
      if (read(registry, Map.of()).tiers().size() == 1) {
        throw new InvalidSettingException("",
            "--nodes " + nodes + ": " + name() + " is one node, which nothing joins to"
                + " others");
      }
      throw e;
    }
  }

  /**
   * The kind of a preset that {@code --cluster} names.
   *
   * @return as {@link ScenarioReader#kind}
   * @throws InvalidSettingException when no preset has this name
   */
  static String presetKind(Registry registry, String name) {
    try {
      return new ScenarioReader(registry).kind(registry.preset(name));
    } catch (RegistryException e) {
      throw new InvalidSettingException("", "--cluster: no file is called '" + name + "', and " + e.getMessage());
    }
  }

  /** The refusal of a preset that is no cluster. */
  static InvalidSettingException notCluster(String name, String kind) {
    return new InvalidSettingException("",
        "--cluster: the preset " + name + " is a " + kind + ", not a cluster; 'heddle"
            + " presets --kind cluster' lists those");
  }

  private void requireFieldsOfCluster() {
    overrides.keySet().stream().filter(path -> !path.equals("cluster") && !path.startsWith(FIELDS)).findFirst()
        .ifPresent(path -> {
          throw new InvalidSettingException("", "--set " + path + ": must be a field of the cluster, such as "
              + NODES + "; all else is set by this command's other options");
        });
  }

  private Fabric read(Registry registry, Map<String, String> more) {
    requireFieldsOfCluster();
    Map<String, String> both = new LinkedHashMap<>(overrides);
    both.putAll(more);
    ScenarioReader reader = new ScenarioReader(registry);
    Path file = Path.of(name());
    if (Files.isRegularFile(file)) {
      return reader.cluster(file, both);
    }
    String kind = presetKind(registry, name());
    if (!kind.equals(ScenarioReader.CLUSTER) && !kind.equals(ScenarioReader.NODE)) {
      throw notCluster(name(), kind);
    }
    return reader.cluster("--cluster " + name(), name(), both);
  }
}
