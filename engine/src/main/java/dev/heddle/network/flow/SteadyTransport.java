package dev.heddle.network.flow;

import dev.heddle.fabric.Fabric;
import dev.heddle.network.CompiledFabric;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.spi.Link;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.spi.TransportProtocol.ReceiverCredits;
import dev.heddle.units.RandomStream;

/**
 * The load of a transport protocol on the links that it runs over, once its connections have converged: telemetry in
 * each packet, acknowledgements and grants of credit on the way back, and the part of the rate that its congestion
 * control leaves free. Queues, losses, and the time until rates have converged are left out.
 */
final class SteadyTransport {
  private static final long UNKNOWN = -1;

  private final CompiledFabric plan;
  private final TransportProtocol protocol;
  // Of each link whether the protocol runs over it.
  private final boolean[] covered;
  private final int telemetryBytes;
  private final double utilisation;
  private final boolean spreads;
  // Payload for which a receiver grants credit at once; 0 without credits.
  private long grantBytes = UNKNOWN;

  SteadyTransport(CompiledFabric plan, TransportProtocol protocol) {
    this.plan = plan;
    this.protocol = protocol;
    covered = new boolean[plan.links];
    for (int link = 0; link < covered.length; link++) {
      covered[link] = CompiledFabric.carriesTransport(plan.fabric, link, model(link));
    }
    telemetryBytes = protocol.telemetryBytes();
    utilisation = protocol.steadyUtilisation();
    spreads = protocol.pathCount() > 1;
  }

  /** The protocol. */
  TransportProtocol protocol() {
    return protocol;
  }

  /** Whether packets of a connection spread over the paths among which switches choose by hash. */
  boolean spreads() {
    return spreads;
  }

  /** Whether the protocol runs over a link. */
  boolean covers(int link) {
    return covered[link];
  }

  /** Bytes that a packet carries besides its payload and the headers of a link. */
  int extraBytes(int link) {
    return covers(link) ? telemetryBytes : 0;
  }

  /** Payload of a full packet on a path. */
  int payload(int[] path, int hops) {
    int payload = Integer.MAX_VALUE;
    for (int hop = 0; hop < hops; hop++) {
      if (covers(path[hop])) {
        payload = Math.min(payload, Math.max(1, model(path[hop]).maxPayloadBytes() - telemetryBytes));
      }
    }
    return payload;
  }

  /** The time for which a packet takes a link at the rate that converged connections leave it to. */
  long slowed(int link, long wirePs) {
    return utilisation == 1 || !covers(link) ? wirePs : Math.round(wirePs / utilisation);
  }

  /** Control packets for a number of data packets with some payload in all, on the way back. */
  double controlPackets(long packets, double payload, int[] path, int hops) {
    if (grantBytes == UNKNOWN) {
      ReceiverCredits credits = protocol.receiverCredits(idle(path, hops)).orElse(null);
      grantBytes = credits == null ? 0 : credits.bytesPerGrant();
    }
    double each = payload / packets;
    double acknowledgements = Math.max(1, payload / Math.max(each, protocol.acknowledgementBytes()));
    return acknowledgements + (grantBytes == 0 ? 0 : payload / grantBytes);
  }

  /** The idle network between the ends of a connection that takes a path. */
  ConnectionPath idle(int[] path, int hops) {
    int payload = payload(path, hops);
    long rate = Long.MAX_VALUE;
    long trip = 1;
    int packet = 1;
    int control = 1;
    int count = 0;
    for (int hop = 0; hop < hops; hop++) {
      if (covers(path[hop])) {
        Link link = model(path[hop]);
        int whole = payload + telemetryBytes;
        rate = Math.min(rate, link.rate().bitsPerSecond());
        trip += 2 * link.latencyPs() + link.wirePs(whole, 0) + link.wirePs(0, 0);
        packet = (int) Math.max(packet, link.wireBytes(whole, 0));
        control = (int) Math.max(control, link.wireBytes(0, 0));
        trip += hop + 1 < hops ? 2 * plan.forwardPs[plan.linkTarget[path[hop]]] : 0;
        count++;
      }
    }
    return new ConnectionPath(rate, trip, packet, payload, control, count);
  }

  private Link model(int link) {
    return plan.specs[plan.spec[link]];
  }

  /** The candidate, from 0, that switches take for all packets of a connection. */
  static int hashed(long connection, int device, int candidates) {
    return Fabric.hashed(RandomStream.mix(connection), device, candidates);
  }
}
