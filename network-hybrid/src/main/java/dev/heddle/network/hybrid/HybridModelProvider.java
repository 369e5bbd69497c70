package dev.heddle.network.hybrid;

import com.google.common.collect.ImmutableList;
import dev.heddle.engine.Job;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.Network;
import dev.heddle.network.NetworkException;
import dev.heddle.network.NetworkModel;
import dev.heddle.network.NetworkModelProvider;
import dev.heddle.network.RunOptions;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Provides hybrid fidelity, {@link HybridNetwork}. */
@Plugin(id = "hybrid",
    description = "Packets for messages that may cross chosen tiers or links, fluids for all others")
public final class HybridModelProvider implements NetworkModelProvider<HybridModelProvider.Settings> {
  private static final String ID = "hybrid";

  /**
   * The part of the fabric that has packets.
   *
   * @param packets chosen tiers and links; absent: all tiers but the innermost
   */
  public record Settings(
      @Setting("tiers and links whose messages are packets on their whole way; else all tiers but the innermost, so"
          + " that messages between nodes are packets, and those within a node flows") Optional<Packets> packets) {}

  /**
   * Tiers and links: a message is packets where one of its routes crosses any of them.
   *
   * @param tiers by their names in the scenario
   * @param links by the names that reports give them, or patterns
   */
  public record Packets(
      @Setting(value = "names of tiers, such as cluster: all their links", def = "[]") List<String> tiers,
      @Setting(
          value = "names of links as reports have them, such as 'node0.nic0 -> cluster.leaf0', or with <-> for both"
              + " directions; * stands for any text, as in 'cluster.leaf* <-> cluster.spine3'",
          def = "[]") List<String> links) {
    /** Copies the lists. */
    public Packets {
      tiers = ImmutableList.copyOf(tiers);
      links = ImmutableList.copyOf(links);
    }

    /** Whole tiers. */
    public static Packets ofTiers(String... names) {
      return new Packets(List.of(names), List.of());
    }
  }

  private record Model(Settings settings) implements NetworkModel {
    @Override
    public String id() {
      return ID;
    }

    @Override
    public Network network(Fabric fabric, Job job, RunOptions options, @Nullable NetworkObserver observer) {
      ChosenLinks chosen;
      try {
        chosen = ChosenLinks.of(fabric, settings);
      } catch (InvalidSettingException e) {
        throw new NetworkException("fidelity." + e.component() + ": " + e.getMessage());
      }
      return new HybridNetwork(fabric, chosen, job, options, observer);
    }

    @Override
    public void requireFits(Fabric fabric) {
      ChosenLinks.of(fabric, settings);
    }

    @Override
    public boolean hasPackets() {
      return true;
    }

    @Override
    public List<String> warnings(RunOptions options) {
      return List.of();
    }
  }

  @Override
  public NetworkModel create(Settings settings) {
    settings.packets().ifPresent(chosen -> {
      if (chosen.tiers().isEmpty() && chosen.links().isEmpty()) {
        throw new InvalidSettingException("packets",
            "chooses nothing: name tiers or links, such as {tiers: [cluster]}, or write fidelity: flow");
      }
    });
    return new Model(settings);
  }
}
