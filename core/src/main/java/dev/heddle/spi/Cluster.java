package dev.heddle.spi;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The machine, as workloads and algorithms see it: a graph of devices and directed links, with the terminals among the
 * devices, their nodes, and the rates of their links.
 *
 * <p>Terminals are devices 0 to {@code terminals() - 1}, numbered node by node, in the order in which the innermost
 * tier declares them; the aggregators of the outermost tier's switches come last and belong to no node. A full-duplex
 * link is two directed links, {@code n} and {@code n ^ 1}. All methods are pure.
 */
public interface Cluster {
  /** The number of terminals of all nodes, and of aggregators outside of nodes. */
  int terminals();

  /** The number of nodes: instances of the innermost tier. */
  int nodes();

  /** The number of devices, terminals first. */
  int devices();

  /** The number of directed links. */
  int links();

  /** The kind of a device. */
  DeviceKind kind(int device);

  /** The name of a device, such as {@code node3.accelerator5}. */
  String name(int device);

  /** The node of a device, from 0; -1 for a device of an outer tier. */
  int node(int device);

  /** The position of a terminal among all terminals of its node, from 0. */
  int position(int terminal);

  /** The terminals of one kind, ascending. */
  int[] terminals(DeviceKind kind);

  /** The device at which a directed link begins. */
  int linkSource(int link);

  /** The device at which a directed link ends. */
  int linkTarget(int link);

  /** The model of a directed link. */
  Link linkModel(int link);

  /** The model of a directed link without the cluster's faults, as its topology has it. */
  default Link nominalLink(int link) {
    return linkModel(link);
  }

  /**
   * The directed links that the first message from one terminal to another takes while nothing else moves, in order;
   * none from a terminal to itself. Where the route is chosen at random or by load, one of those possible.
   */
  int[] route(int from, int to);

  /** The latencies of the links of that route, and of the devices that forward on it, together, in picoseconds. */
  long routePs(int from, int to);

  /**
   * Whether the packets of one message from a terminal to another are sprayed: each takes a separate path, chosen at
   * random or by load, so that the message uses all paths that exist.
   */
  boolean spraysPackets(int from, int to);

  /**
   * Whether a terminal's memory is part of the graph: its messages cross the memory's bus, and those to itself have a
   * path there and back.
   */
  boolean hasMemory(int terminal);

  /** The accelerator at a terminal, where the machine states it; empty for terminals of other kinds. */
  Optional<Accelerator> accelerator(int terminal);

  /** The CPU at a terminal, where the machine states it; empty for terminals of other kinds. */
  Optional<Processor> processor(int terminal);

  /** The forwarding of a device by its tier's topology; null where it only sends and receives. */
  @Nullable
  Switch forwarding(int device);

  /** The link by which a terminal's own traffic leaves it within its node, or its first link where it has several. */
  Link injectionLink(int terminal);

  /**
   * The link by which a NIC leaves its node, or the NIC's first where it has several.
   *
   * @throws IllegalArgumentException when the terminal is no NIC that another tier connects
   */
  Link networkLink(int terminal);
}
