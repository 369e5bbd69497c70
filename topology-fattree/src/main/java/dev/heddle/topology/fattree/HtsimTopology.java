package dev.heddle.topology.fattree;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.text.Unreadable;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The fat tree of a topology file of htsim [uet-htsim fat_tree_topology.cpp]: two or three tiers of switches, where
 * links of a tier are those below its switches.
 *
 * @param hosts number of hosts
 * @param tiers from the switches next to the hosts up
 */
public record HtsimTopology(int hosts, List<Tier> tiers) {
  /** Copies the list. */
  public HtsimTopology {
    tiers = List.copyOf(tiers);
  }

  /**
   * One tier of switches and the links below them.
   *
   * @param gigabits rate of a link in Gb/s
   * @param down ports of a switch to the tier below
   * @param up ports of a switch to the tier above; 0 in the highest tier
   * @param bundle parallel links to each switch, or host, below
   * @param latencyNs latency of a link in nanoseconds
   * @param switchNs latency of a switch in nanoseconds
   */
  public record Tier(long gigabits, int down, int up, int bundle, long latencyNs, long switchNs) {}

  /**
   * Reads a file.
   *
   * @throws InvalidSettingException when it cannot be read, or its numbers make no tree
   */
  public static HtsimTopology read(Path file) {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
      return new HtsimTopologyReader(file.toString(), in).read();
    } catch (IOException e) {
      throw new InvalidSettingException("file", Unreadable.message(file, e));
    } catch (UncheckedIOException e) {
      throw new InvalidSettingException("file", Unreadable.message(file, e));
    }
  }

  /** Ratio of the rate below the switches to that above them, over all tiers, cut to an integer at each. */
  public long oversubscription() {
    long ratio = 1;
    for (int tier = 0; tier < tiers.size() - 1; tier++) {
      Tier each = tiers.get(tier);
      ratio *= Math.max(1, each.down() * each.gigabits() / (each.up() * tiers.get(tier + 1).gigabits()));
    }
    return ratio;
  }

  /** Latency of the longest way from host to host in nanoseconds: links and switches, without any wire time. */
  public long diameterNs() {
    long links = 2 * tiers.stream().mapToLong(Tier::latencyNs).sum();
    long switches = 2 * tiers.stream().mapToLong(Tier::switchNs).sum();
    return links + switches - tiers.get(tiers.size() - 1).switchNs();
  }

  // A host has one port. The links of a bundle count once.
  Shape shape() {
    int levels = tiers.size();
    return Shape.of(
        IntStream.range(0, levels).map(i -> tiers.get(i).down() / tiers.get(i).bundle()).boxed().toList(),
        IntStream.range(0, levels).map(i -> i == 0 ? 1 : tiers.get(i - 1).up() / tiers.get(i).bundle()).boxed()
            .toList(),
        tiers.stream().map(Tier::bundle).toList());
  }
}
