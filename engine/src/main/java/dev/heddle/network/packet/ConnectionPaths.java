package dev.heddle.network.packet;

import dev.heddle.fabric.Fabric;
import dev.heddle.network.WireTimeCache;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.spi.Link;
import dev.heddle.spi.Switch;

/** The idle network between the ends of connections: rate, round-trip time and packets. */
final class ConnectionPaths {
  private final NetworkPlan plan;
  private final Fabric fabric;
  private final int telemetryBytes;

  ConnectionPaths(NetworkPlan plan, WireTimeCache times, int telemetryBytes) {
    this.plan = plan;
    fabric = plan.fabric;
    this.telemetryBytes = telemetryBytes;
  }

  /** The path of the first packet from one terminal to another, as far as a transport protocol runs over it. */
  ConnectionPath of(int source, int destination) {
    int payload = Integer.MAX_VALUE;
    long rate = Long.MAX_VALUE;
    int[] route = fabric.route(source, destination);
    for (int link : route) {
      if (plan.managed[link]) {
        Link model = plan.specs[plan.spec[link]];
        payload = Math.min(payload, Math.max(1, model.maxPayloadBytes() - telemetryBytes));
        rate = Math.min(rate, model.rate().bitsPerSecond());
      }
    }
    long trip = 0;
    int hops = 0;
    int packet = 1;
    int control = 1;
    for (int link : route) {
      if (plan.managed[link]) {
        Link model = plan.specs[plan.spec[link]];
        trip += 2 * model.latencyPs() + model.wirePs(payload + telemetryBytes, 0) + model.wirePs(0, 0);
        int next = plan.linkTarget[link];
        Switch forwarding = next == destination ? null : fabric.forwarding(next);
        trip += forwarding == null ? 0 : 2 * forwarding.latencyPs();
        packet = (int) Math.max(packet, model.wireBytes(payload + telemetryBytes, 0));
        control = (int) Math.max(control, model.wireBytes(0, 0));
        hops++;
      }
    }
    return new ConnectionPath(rate, trip, packet, payload, control, hops);
  }

  /** Bytes on the wire of a packet with some payload. */
  int bytes(ConnectionPath path, int payload) {
    return path.packetBytes() - path.payloadBytes() + payload;
  }
}
