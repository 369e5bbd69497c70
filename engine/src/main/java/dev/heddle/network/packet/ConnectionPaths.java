package dev.heddle.network.packet;

import dev.heddle.collective.MessageLabel;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.NetworkException;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.spi.Link;
import dev.heddle.spi.Switch;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.tier.RouteFunction;

/**
 * The idle network between the ends of connections: rate, round-trip time and packets. Where packets of a connection
 * spread over the ports of both NICs, the rate is that of all of them, else that of one. Where they spread over paths,
 * links that only some of them take, and may be slow, do not count: the rate is that of both ends' links.
 */
final class ConnectionPaths {
  private final NetworkPlan plan;
  private final Fabric fabric;
  private final TransportProtocol protocol;
  private final int telemetryBytes;
  private final int[] candidates;

  ConnectionPaths(NetworkPlan plan, TransportProtocol protocol) {
    this.plan = plan;
    fabric = plan.fabric;
    this.protocol = protocol;
    telemetryBytes = protocol.telemetryBytes();
    candidates = new int[fabric.maxCandidates()];
  }

  /** The path of a connection's first packet, as far as a transport protocol runs over it. */
  ConnectionPath of(long key) {
    int source = Endpoints.source(key);
    int destination = Endpoints.destination(key);
    int rail = MessageLabel.railRoute(Endpoints.label(key));
    int payload = Integer.MAX_VALUE;
    long rate = Long.MAX_VALUE;
    long message = Fabric.message(source, rail);
    int[] route = fabric.routeOf(message, destination);
    int first = firstManaged(route);
    int last = route.length - 1;
    while (last > first && !plan.managed[route[last]]) {
      last--;
    }
    boolean spreads = plan.managed[route[first]] && spreads(route[first], message, destination);
    for (int i = 0; i < route.length; i++) {
      if (plan.managed[route[i]]) {
        Link model = plan.specs[plan.spec[route[i]]];
        payload = Math.min(payload, Math.max(1, model.maxPayloadBytes() - telemetryBytes));
        rate = spreads && i > first && i < last ? rate : Math.min(rate, rate(route[i]));
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
    ConnectionPath port = new ConnectionPath(rate, trip, packet, payload, control, hops);
    long answer = Fabric.message(destination, rail);
    int ports = Math.min(ports(route, message, destination), ports(fabric.routeOf(answer, source), answer, source));
    return ports == 1 ? port : new ConnectionPath(ports * rate, trip, packet, payload, control, hops);
  }

  // The rate of a link that is slow for a time only is that of the link in health.
  private long rate(int link) {
    long rate = plan.specs[plan.spec[link]].rate().bitsPerSecond();
    for (int[] changed : plan.changedSpec) {
      rate = Math.max(rate, plan.specs[changed[link]].rate().bitsPerSecond());
    }
    return rate;
  }

  /**
   * Refuses a connection of a class that no switch has a queue for, where switches tell classes apart.
   *
   * @param key of the connection
   */
  void requireClass(long key) {
    int trafficClass = MessageLabel.networkClass(Endpoints.label(key));
    if (plan.classes > 1 && trafficClass >= plan.classes) {
      throw new NetworkException(fabric.name(Endpoints.source(key)) + " sends a message of traffic class "
          + trafficClass + ", but switches have classes 0 to " + (plan.classes - 1)
          + "; add it to the 'classes' of their forwarding, or choose one of them");
    }
  }

  private int firstManaged(int[] route) {
    int first = 0;
    while (first < route.length - 1 && !plan.managed[route[first]]) {
      first++;
    }
    return first;
  }

  // The ports of the sender's NIC among which the packets of a connection spread. A terminal that sends itself keeps
  // the port of its first packet.
  private int ports(int[] route, long message, int destination) {
    int link = route[firstManaged(route)];
    int nic = fabric.linkSource(link);
    if (nic == Fabric.source(message) || !plan.managed[link] || !spreads(link, message, destination)) {
      return 1;
    }
    return fabric.candidates(nic, fabric.nextWaypoint(nic, message, destination), RouteFunction.NONE, candidates);
  }

  // Whether the packets of a connection spread over the paths that begin where its first link does.
  private boolean spreads(int link, long message, int destination) {
    int device = fabric.linkSource(link);
    return switch (fabric.selection(device, fabric.nextWaypoint(device, message, destination))) {
      case RANDOM, ADAPTIVE -> true;
      case MESSAGE_HASH -> protocol.pathCount() > 1;
      case SOURCE, UGAL -> false;
    };
  }
}
