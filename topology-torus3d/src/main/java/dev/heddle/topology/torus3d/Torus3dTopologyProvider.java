package dev.heddle.topology.torus3d;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Switch;
import dev.heddle.tier.Topology;
import dev.heddle.tier.TopologyProvider;
import java.util.List;
import java.util.Optional;

/** Provides tori, twisted tori and meshes of chips that forward for each other, with hosts, as in slices of TPUs. */
@Plugin(id = "torus3d",
    description = "A torus, twisted torus or mesh of chips on up to three axes, with hosts, as in a slice of TPUs")
public final class Torus3dTopologyProvider implements TopologyProvider<Torus3dTopologyProvider.Settings> {
  private static final int DATELINE_CHANNELS = 2;

  /**
   * The settings of a slice.
   *
   * @param size chips along each axis, one to three axes
   * @param wrap whether each axis closes to a ring; empty: all do
   * @param twist whether short axes are twisted
   * @param links between chips
   * @param forwarding of chips and hosts
   * @param hostSize chips of a host along each axis; empty: one chip
   * @param host link of a chip to its host's CPU
   * @param nic link of a NIC to its host's CPU
   */
  public record Settings(
      @Setting(value = "chips along each axis, one to three axes", min = "1", max = "256") List<Integer> size,
      @Setting("whether each axis of 3 chips or more closes to a ring, one value for all or one for each; without it, "
          + "all do") List<Boolean> wrap,
      @Setting(value = "whether a step over the end of a short axis also moves by half of every long one, where the "
          + "size is k x k x 2k or k x 2k x 2k in any order", def = "false",
          source = "Jouppi et al., ISCA 2023, 2.9") boolean twist,
      @Setting("link between neighbouring chips: one for all axes, or one for each") List<Link> links,
      @Setting(value = "forwarding by chips, and by CPUs between chips and NICs",
          def = "{type: generic}") Switch forwarding,
      @Setting(value = "chips of a host along each axis; without it, one chip", min = "1",
          max = "256") List<Integer> hostSize,
      @Setting("link of a chip to the CPU of its host") Optional<Link> host,
      @Setting("link of a NIC to the CPU of its host; NICs are divided among hosts in order") Optional<Link> nic) {
    /** Copies the lists. */
    public Settings {
      size = List.copyOf(size);
      wrap = List.copyOf(wrap);
      links = List.copyOf(links);
      hostSize = List.copyOf(hostSize);
    }

    /** A torus of chips alone. */
    public static Settings of(List<Integer> size, Link link, Switch forwarding) {
      return new Settings(
          size, List.of(), false, List.of(link), forwarding, List.of(), Optional.empty(), Optional.empty());
    }

    /** The same torus, twisted. */
    public Settings twisted() {
      return new Settings(size, wrap, true, links, forwarding, hostSize, host, nic);
    }

    /** The same chips, of which given axes close to rings. */
    public Settings wrapping(List<Boolean> closed) {
      return new Settings(size, closed, twist, links, forwarding, hostSize, host, nic);
    }

    /** The same chips with hosts. */
    public Settings hosts(List<Integer> chips, Link bus, Link network) {
      return new Settings(size, wrap, twist, links, forwarding, chips, Optional.of(bus), Optional.of(network));
    }
  }

  @Override
  public Topology create(Settings settings) {
    Lattice lattice = lattice(settings);
    if (settings.links().size() != 1 && settings.links().size() != settings.size().size()) {
      throw new InvalidSettingException("links", settings.links().size() + " links for " + settings.size().size()
          + " axes; 1 for all, or " + settings.size().size() + ", can be");
    }
    int needed = lattice.needsDatelines() ? DATELINE_CHANNELS : 1;
    for (Link link : settings.links()) {
      if (link.credits().size() < needed) {
        throw new InvalidSettingException("links", "a " + lattice + " needs " + needed
            + " virtual channels, or it could deadlock; the link has " + link.credits().size());
      }
    }
    requireHosts(settings, lattice);
    return terminals -> new SlicePlanner(settings, lattice, true).plan(terminals);
  }

  private static void requireHosts(Settings settings, Lattice lattice) {
    if (settings.hostSize().size() > settings.size().size()) {
      throw new InvalidSettingException("hostSize",
          settings.hostSize() + " has more axes than size " + settings.size());
    }
    ImmutableIntArray box = padded(settings.hostSize());
    for (int axis = 0; axis < Lattice.AXES; axis++) {
      if (lattice.size().get(axis) % box.get(axis) != 0) {
        throw new InvalidSettingException("hostSize",
            settings.hostSize() + " does not divide the size " + settings.size());
      }
    }
  }

  /** The lattice of some settings. */
  static Lattice lattice(Settings settings) {
    int axes = settings.size().size();
    if (axes < 1 || axes > Lattice.AXES) {
      throw new InvalidSettingException(
          "size", settings.size() + " has " + axes + " axes; 1 to 3 can be, such as [4, 4, 4]");
    }
    if (settings.wrap().size() > 1 && settings.wrap().size() != axes) {
      throw new InvalidSettingException("wrap", settings.wrap().size() + " values for " + axes
          + " axes; 1 for all, or " + axes + ", can be");
    }
    ImmutableIntArray size = padded(settings.size());
    ImmutableList.Builder<Boolean> wrap = ImmutableList.builder();
    for (int axis = 0; axis < Lattice.AXES; axis++) {
      boolean asked = settings.wrap().isEmpty() || settings.wrap().get(settings.wrap().size() == 1 ? 0
          : Math.min(axis, axes - 1));
      wrap.add(asked && size.get(axis) > 2);
    }
    Lattice lattice = new Lattice(size, wrap.build(), settings.twist());
    if (lattice.chips() < 2) {
      throw new InvalidSettingException("size", "a torus has at least 2 chips: " + settings.size());
    }
    if (settings.twist() && !canTwist(lattice)) {
      throw new InvalidSettingException("twist", settings.size()
          + " cannot be twisted; k x k x 2k and k x 2k x 2k in any order can be, k at least 3, all axes closed");
    }
    return lattice;
  }

  private static boolean canTwist(Lattice lattice) {
    int least = lattice.shortest();
    boolean fits = lattice.chips() != least * least * least && !lattice.wrap().contains(false);
    for (int axis = 0; axis < Lattice.AXES; axis++) {
      fits &= lattice.size().get(axis) == least || lattice.size().get(axis) == 2 * least;
    }
    return fits;
  }

  /** Three numbers: those given, then ones. */
  static ImmutableIntArray padded(List<Integer> numbers) {
    ImmutableIntArray.Builder padded = ImmutableIntArray.builder(Lattice.AXES);
    padded.addAll(numbers);
    for (int axis = numbers.size(); axis < Lattice.AXES; axis++) {
      padded.add(1);
    }
    return padded.build();
  }
}
