package dev.heddle.topology.simai;

import dev.heddle.units.DataRate;
import dev.heddle.units.SimTime;
import java.util.ArrayList;
import java.util.List;

/**
 * A topology as written. Nodes are numbered: accelerators from 0, then NVSwitches, then the network's switches.
 *
 * @param accelerators number of accelerators
 * @param perServer accelerators of a server, a divisor of {@code accelerators}
 * @param nvSwitches of all servers
 * @param switches of the network
 * @param cables in the order of the file
 */
record TopologyFile(int accelerators, int perServer, int nvSwitches, int switches, List<Cable> cables) {
  /** Copies the list. */
  TopologyFile {
    cables = List.copyOf(cables);
  }

  /**
   * A cable of both directions; the node of the less number comes first.
   *
   * @param low one node
   * @param high the other
   * @param rate of each direction
   * @param latency of each direction
   * @param line of the file that defines it
   */
  record Cable(int low, int high, DataRate rate, SimTime latency, long line) {}

  int nodes() {
    return accelerators + nvSwitches + switches;
  }

  int servers() {
    return accelerators / perServer;
  }

  boolean accelerator(int node) {
    return node < accelerators;
  }

  boolean nvSwitch(int node) {
    return node >= accelerators && node < accelerators + nvSwitches;
  }

  /** Whether a cable leads from an accelerator to a switch of the network. */
  boolean port(Cable cable) {
    return accelerator(cable.low()) && !accelerator(cable.high()) && !nvSwitch(cable.high());
  }

  /** The cables to switches of the network of each accelerator that has any, in order of the accelerators. */
  List<List<Cable>> nics() {
    List<List<Cable>> byAccelerator = new ArrayList<>();
    for (int i = 0; i < accelerators; i++) {
      byAccelerator.add(new ArrayList<>());
    }
    cables.stream().filter(this::port).forEach(cable -> byAccelerator.get(cable.low()).add(cable));
    return byAccelerator.stream().filter(ports -> !ports.isEmpty()).toList();
  }

  /** The cables of a server's accelerators to NVSwitches. */
  List<Cable> inside(int server) {
    return cables.stream().filter(cable -> nvSwitch(cable.high()) && cable.low() / perServer == server).toList();
  }
}
