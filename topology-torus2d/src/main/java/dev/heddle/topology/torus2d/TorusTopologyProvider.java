package dev.heddle.topology.torus2d;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.tier.Topology;
import dev.heddle.tier.TopologyProvider;
import java.util.List;
import java.util.Optional;

/** Provides the torus of chips, and the mesh: each chip with its logical cores, their memories and its fabric. */
@Plugin(id = "torus", description = "A 2-D or 3-D torus or mesh of chips, each with several cores and their memories")
public final class TorusTopologyProvider implements TopologyProvider<TorusTopologyProvider.Settings> {
  /**
   * The settings of a torus.
   *
   * @param size chips along each dimension
   * @param wrap whether lines close to rings; without, it is a mesh
   * @param pairs links of a dimension of two chips, where lines close
   * @param links between chips
   * @param chip interior of a chip
   * @param routing of messages over chips
   * @param nic link of a NIC to its chip
   * @param cpu link of a CPU to each of its chips
   */
  public record Settings(
      @Setting(value = "chips along each dimension, two or three", min = "2", max = "256") List<Integer> size,
      @Setting(value = "whether lines close to rings: a torus; otherwise a mesh", def = "true") boolean wrap,
      @Setting(value = "two chips that are neighbours in both directions have two links or one",
          def = "merged") Pairs pairs,
      @Setting("link between neighbouring chips: one for all dimensions, or one for each") List<Link> links,
      @Setting("interior of a chip") Chip chip,
      @Setting(value = "routing of messages over chips", def = "dimension-order") Routing routing,
      @Setting("link of a NIC to its chip; NICs are divided among chips in order") Optional<Link> nic,
      @Setting("link of a CPU to each of its chips; chips are divided among CPUs in order") Optional<Link> cpu) {
    /** Copies the lists. */
    public Settings {
      size = List.copyOf(size);
      links = List.copyOf(links);
    }

    /** A torus of cores alone, routed in dimension order. */
    public static Settings of(List<Integer> size, Link link, Chip chip) {
      return new Settings(
          size, true, Pairs.MERGED, List.of(link), chip, Routing.DIMENSION_ORDER, Optional.empty(), Optional.empty());
    }

    /** The same torus without the links that close lines to rings. */
    public Settings mesh() {
      return new Settings(size, false, pairs, links, chip, routing, nic, cpu);
    }

    /** The same torus with another routing. */
    public Settings routed(Routing other) {
      return new Settings(size, wrap, pairs, links, chip, other, nic, cpu);
    }

    /** The same torus with two links between chips that are neighbours in both directions. */
    public Settings doubled() {
      return new Settings(size, wrap, Pairs.DOUBLED, links, chip, routing, nic, cpu);
    }
  }

  /** The links between two chips that are neighbours in both directions. */
  public enum Pairs {
    /** One link. */
    MERGED,
    /** Two links. */
    DOUBLED
  }

  @Override
  public Topology create(Settings settings) {
    Torus torus = torus(settings);
    settings.chip().check();
    if (settings.links().size() != 1 && settings.links().size() != torus.dimensions()) {
      throw new InvalidSettingException("links", settings.links().size() + " links for " + torus.dimensions()
          + " dimensions; 1 for all, or " + torus.dimensions() + ", can be");
    }
    int needed = ChipRoutes.channels(torus, settings.routing());
    for (Link link : settings.links()) {
      if (link.credits().size() < needed) {
        throw new InvalidSettingException("links",
            "routing " + settings.routing().name().toLowerCase(java.util.Locale.ROOT)
                .replace('_', '-') + " on a " + torus + " needs " + needed
                + " virtual channels, or it could deadlock; the link has "
                + link.credits().size() + " of at most 8" + (needed > 8 ? "; dimension-order needs 2" : ""));
      }
    }
    return terminals -> new TorusPlanner(settings, torus, true).plan(terminals);
  }

  private static Torus torus(Settings settings) {
    int dimensions = settings.size().size();
    if (dimensions < 2 || dimensions > 3) {
      throw new InvalidSettingException(
          "size", settings.size() + " has " + dimensions + " dimension(s); 2 or 3 can be, such as [4, 4]");
    }
    return new Torus(
        ImmutableIntArray.copyOf(settings.size()), settings.wrap(), settings.pairs() == Pairs.DOUBLED);
  }
}
