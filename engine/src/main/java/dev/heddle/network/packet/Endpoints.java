package dev.heddle.network.packet;

import dev.heddle.collective.MessageLabel;
import dev.heddle.spi.TransportProtocol;

/**
 * The ends of connections at a partition's terminals: packets that arrive go to the senders or the receivers.
 *
 * <p>In a fabric of several tiers the ends lie at the NICs of the two nodes: data crosses the links of its node as they
 * carry it, and the window, the pacing and the acknowledgements are those of the network between nodes.
 */
final class Endpoints {
  private static final int LABEL_BITS = MessageLabel.BITS;
  private static final int DEVICE_BITS = 24;

  private final TransportHeader headers;
  private final PacketTable units;
  private final Senders senders;
  private final Receivers receivers;

  Endpoints(
      Partition partition, ManagedPorts ports, NetworkPlan plan, NetworkState state, RunContext setup,
      TransportProtocol protocol) {
    units = partition.units;
    headers = new TransportHeader(units);
    senders = new Senders(partition, plan, state, setup, protocol);
    receivers = new Receivers(partition, ports, plan, state, setup, protocol);
  }

  static int source(long key) {
    return (int) (key >>> DEVICE_BITS + LABEL_BITS) & (PacketTable.MAX_DEVICES - 1);
  }

  static int destination(long key) {
    return (int) (key >>> LABEL_BITS) & (PacketTable.MAX_DEVICES - 1);
  }

  static int label(long key) {
    return (int) (key >>> 2 * DEVICE_BITS) & MessageLabel.RAILED | (int) key & MessageLabel.RAILED - 1;
  }

  Senders senders() {
    return senders;
  }

  Receivers receivers() {
    return receivers;
  }

  /** A packet of a connection begins to cross the first link of the network between the ends. */
  void leaves(int unit) {
    senders.leaves(unit);
  }

  /** A packet has reached the end of a connection. */
  void receive(int device, int link, int unit) {
    if (headers.kind(unit) == TransportHeader.DATA) {
      receivers.receive(device, link, unit);
    } else {
      senders.receive(unit);
      units.release(unit);
    }
  }
}
