package dev.heddle.network.hybrid;

import dev.heddle.engine.Job;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.CompiledFabric;
import dev.heddle.network.LinkCounters;
import dev.heddle.network.Measurements;
import dev.heddle.network.Network;
import dev.heddle.network.NetworkException;
import dev.heddle.network.RunOptions;
import dev.heddle.network.packet.PacketNetwork;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.units.Fraction;
import dev.heddle.units.SimTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The network at hybrid fidelity: messages any of whose routes crosses a chosen link are packets on their whole way, as
 * at packet fidelity; all others are flows, as at flow fidelity, and so are collectives without a message of packets.
 *
 * <p>On a link that both share, a message of packets stands in the max-min solution of the flows as a flow more on its
 * path, from the departure of its first packet to the arrival of its last. The part of a link that flows take is time
 * that its packets do not have: a packet that takes a time on a whole link takes it divided by the part that the flows
 * leave. So bytes of both are conserved, and no link carries more than it can but for the packet that is on it while
 * rates change.
 *
 * <p>Packets that a congestion control, a window or credits slow down leave flows no more than their fair share does;
 * and flows lack the same effects as at flow fidelity.
 */
public final class HybridNetwork implements Network {
  private final RunOptions options;
  private final HybridFlows flows;
  private final PacketNetwork packets;
  private final Fabric fabric;

  /**
   * Compiles a fabric and places programs on it.
   *
   * @param fabric the cluster
   * @param chosen the links whose messages are packets
   * @param job programs and groups of the ranks
   * @param options of the run
   * @param observer of transmissions and deliveries; null for none
   * @throws NetworkException when something needs packets on a link that is not chosen
   */
  HybridNetwork(
      Fabric fabric, ChosenLinks chosen, Job job, RunOptions options, @Nullable NetworkObserver observer) {
    requirePackets(fabric, chosen, options);
    this.fabric = fabric;
    this.options = options;
    flows = new HybridFlows(fabric, chosen, job, options, observer);
    packets = new PacketNetwork(fabric, job, options, observer, flows);
  }

  private static void requirePackets(Fabric fabric, ChosenLinks chosen, RunOptions options) {
    if (!fabric.changes().isEmpty()) {
      throw new NetworkException("a fault begins or ends at " + SimTime.ofPs(fabric.changes().get(0).atPs())
          + ", which fidelity hybrid does not have; write fidelity: packet, or leave 'at' and 'until' out of the"
          + " faults");
    }
    for (int link = 0; link < fabric.links(); link++) {
      if (chosen.contains(link)) {
        continue;
      }
      if (fabric.linkModel(link).loss() > 0) {
        throw new NetworkException("link " + fabric.linkName(link) + " loses "
            + Fraction.of(fabric.linkModel(link).loss()) + " of its packets, but fidelity.packets does not choose it:"
            + " choose the tier '" + tier(fabric, link) + "', or leave 'loss' out of the link");
      }
      if (options.transport() != null && CompiledFabric.carriesTransport(fabric, link, fabric.linkModel(link))) {
        throw new NetworkException("the transport protocol runs over " + fabric.linkName(link) + ", but"
            + " fidelity.packets does not choose it: choose all of the tier '" + tier(fabric, link)
            + "', or leave out 'transport'");
      }
    }
  }

  private static String tier(Fabric fabric, int link) {
    return fabric.tiers().get(fabric.linkTier(link)).name();
  }

  @Override
  public void run() {
    packets.run();
    flows.flows().close(packets.measurements().endPs());
  }

  /** The calls of packets that memoization has met so far. */
  public PacketNetwork.MemoizedCalls memoizedCalls() {
    return packets.memoizedCalls();
  }

  @Override
  public Measurements measurements() {
    Measurements ofPackets = packets.measurements();
    List<Measurements.Part> parts = new ArrayList<>(ofPackets.parts());
    parts.add(flows.flows().measured());
    long windowPs = options.windowPs(ofPackets.endPs());
    return new Measurements(
        parts, new Sum(ofPackets.counters(), flows.flows().counters(), windowPs), fabric.links(), ofPackets.endPs(),
        windowPs, ofPackets.transport());
  }

  /** Packets' and flows' counters of links; of the bytes that wait, the most of both, if they came together. */
  private record Sum(LinkCounters packets, LinkCounters flows, long windowPs) implements LinkCounters {
    // The packet that is on a link while rates rise takes the time that it began with.
    @Override
    public long busyPs(int link) {
      return Math.min(windowPs, packets.busyPs(link) + flows.busyPs(link));
    }

    @Override
    public long lastPs(int link) {
      return packets.lastPs(link);
    }

    @Override
    public long stallPs(int link) {
      return packets.stallPs(link);
    }

    @Override
    public long payloadBytes(int link) {
      return packets.payloadBytes(link) + flows.payloadBytes(link);
    }

    @Override
    public long units(int link) {
      return packets.units(link) + flows.units(link);
    }

    @Override
    public long maxQueuedBytes(int link) {
      return packets.maxQueuedBytes(link) + flows.maxQueuedBytes(link);
    }
  }
}
