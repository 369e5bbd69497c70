package dev.heddle.transport.roce;

import dev.heddle.spi.CongestionControl;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.spi.PathSelector;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.transport.roce.RoceTransportProvider.Congestion;
import dev.heddle.transport.roce.RoceTransportProvider.LoadBalancing;
import dev.heddle.units.RandomStream;

/** The product: reliable connections over converged Ethernet, each packet acknowledged. */
final class RoceTransport implements TransportProtocol {
  // Five hops of eight bytes and two [HPCC simulator, int-header.h].
  private static final int TELEMETRY_BYTES = 42;

  // The logarithm of a utilisation [HPCC simulator, pint.cc].
  private static final int PINT_BYTES = 2;

  // Packets of one path come in order, so that a gap of a few shows a loss.
  private static final int REORDERING_PACKETS = 3;

  private final RoceTransportProvider.Settings settings;

  RoceTransport(RoceTransportProvider.Settings settings) {
    this.settings = settings;
  }

  @Override
  public LossRecovery lossRecovery() {
    return settings.recovery();
  }

  @Override
  public CongestionControl connect(ConnectionPath path) {
    return settings.loadBalancing() == LoadBalancing.FLOWLET
        ? new FlowletControl(control(path), settings.flowletGap().ps()) : control(path);
  }

  private CongestionControl control(ConnectionPath path) {
    long limit = settings.window() == 0 ? Long.MAX_VALUE : settings.window() * path.bandwidthDelayBytes();
    return switch (settings.congestion()) {
      case NONE -> new LineRate(path, limit);
      case DCQCN -> new DcqcnControl(path, settings.dcqcn(), limit);
      case DCTCP -> new DctcpControl(path);
      case HPCC -> new HpccControl(path, settings.hpcc());
      case HPCC_PINT -> new PintControl(path, settings.hpcc());
      case TIMELY -> new TimelyControl(path, settings.timely(), limit);
      case TIMELY_PATCHED -> new PatchedTimelyControl(path, settings.timely(), limit);
      case SWIFT -> new SwiftControl(path, settings.swift());
    };
  }

  @Override
  public PathSelector paths(ConnectionPath path, RandomStream random) {
    return settings.loadBalancing() == LoadBalancing.SPRAY
        ? new SprayedPaths(settings.paths(), random) : PathSelector.SINGLE;
  }

  @Override
  public int pathCount() {
    return settings.loadBalancing() == LoadBalancing.SPRAY ? settings.paths() : 1;
  }

  @Override
  public double steadyUtilisation() {
    return switch (settings.congestion()) {
      case HPCC, HPCC_PINT -> settings.hpcc().utilisation() / 100.0;
      case NONE, DCQCN, DCTCP, TIMELY, TIMELY_PATCHED, SWIFT -> 1;
    };
  }

  @Override
  public boolean suitsFluid() {
    return switch (settings.congestion()) {
      case DCQCN, TIMELY, TIMELY_PATCHED -> true;
      case NONE, DCTCP, HPCC, HPCC_PINT, SWIFT -> false;
    };
  }

  @Override
  public long timeoutPs(ConnectionPath path) {
    return Math.max(settings.timeout().ps(), 2 * path.baseRttPs());
  }

  @Override
  public int reorderingPackets() {
    return settings.recovery() == LossRecovery.SELECTIVE_REPEAT && settings.loadBalancing() != LoadBalancing.SPRAY
        ? REORDERING_PACKETS : 0;
  }

  @Override
  public int telemetryBytes() {
    return switch (settings.congestion()) {
      case HPCC -> TELEMETRY_BYTES;
      case HPCC_PINT -> PINT_BYTES;
      case NONE, DCQCN, DCTCP, TIMELY, TIMELY_PATCHED, SWIFT -> 0;
    };
  }

  @Override
  public long notificationPs() {
    return settings.congestion() == Congestion.DCQCN ? settings.dcqcn().notification().ps() : 0;
  }
}
