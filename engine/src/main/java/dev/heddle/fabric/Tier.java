package dev.heddle.fabric;

import com.google.common.collect.ImmutableMap;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Processor;
import dev.heddle.spi.Switch;
import dev.heddle.tier.Topology;
import java.util.Map;
import java.util.Optional;

/**
 * One level of a fabric, as a scenario gives it.
 *
 * @param name of one instance, such as {@code node}
 * @param size number of instances of the next inner tier that one instance joins; 1 for the innermost
 * @param terminals the devices that an instance of the innermost tier has, by kind, in order; empty for outer tiers.
 *     The NICs are the uplinks to the next tier.
 * @param nic forwarding of a NIC between this tier and the next; needed where there is a next
 * @param topology that connects the terminals
 * @param accelerator figures of the accelerators of an innermost tier, where they are stated
 * @param processor figures of the CPUs of an innermost tier, where they are stated
 */
public record Tier(
    String name,
    int size,
    Map<DeviceKind, Integer> terminals,
    Optional<Switch> nic,
    Topology topology,
    Optional<Accelerator> accelerator,
    Optional<Processor> processor) {
  /** Copies the map, keeping its order. */
  public Tier {
    terminals = ImmutableMap.copyOf(terminals);
  }

  /** A tier of which no more is known than its terminals. */
  public Tier(String name, int size, Map<DeviceKind, Integer> terminals, Optional<Switch> nic, Topology topology) {
    this(name, size, terminals, nic, topology, Optional.empty(), Optional.empty());
  }

  /** An innermost tier. */
  public static Tier inner(String name, Map<DeviceKind, Integer> terminals, Switch nic, Topology topology) {
    return new Tier(name, 1, terminals, Optional.of(nic), topology);
  }

  /** An outer tier that joins {@code size} instances of the one inside. */
  public static Tier outer(String name, int size, Topology topology) {
    return new Tier(name, size, ImmutableMap.of(), Optional.empty(), topology);
  }
}
