package dev.heddle.transport.uec;

import dev.heddle.spi.CongestionControl;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.spi.PathSelector;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.spi.TransportProtocol.ReceiverCredits;
import dev.heddle.transport.uec.UecTransportProvider.Control;
import dev.heddle.transport.uec.UecTransportProvider.LoadBalancing;
import dev.heddle.units.RandomStream;
import java.util.Optional;

/** The product: Ultra Ethernet transport with its constants [uet-htsim uec.cpp, uec_base.h]. */
final class UecTransport implements TransportProtocol {
  /** The largest window in bandwidth-delay products. */
  static final double MAX_WINDOW = 1.5;

  // 64 credits of 256 B in a pull packet; the pacer runs at 99 % of the line rate.
  private static final long GRANT_BYTES = 64 * 256;
  private static final double GRANT_SHARE = 0.99;

  private static final long LEAST_TIMEOUT_PS = 15_000_000;
  private static final int TIMEOUT_QUEUES = 6;

  private final UecTransportProvider.Settings settings;

  UecTransport(UecTransportProvider.Settings settings) {
    this.settings = settings;
  }

  private ConnectionPath network(ConnectionPath path) {
    long base = settings.networkRoundTrip().map(each -> each.ps()).orElse(path.baseRttPs());
    return new ConnectionPath(
        path.rateBitsPerSecond(), base, path.packetBytes(), path.payloadBytes(), path.controlBytes(), path.hops());
  }

  @Override
  public LossRecovery lossRecovery() {
    return LossRecovery.SELECTIVE_REPEAT;
  }

  @Override
  public CongestionControl connect(ConnectionPath path) {
    ConnectionPath network = network(path);
    if (settings.control() == Control.RCCC) {
      return new CongestionControl() {};
    }
    double target = settings.targetDelay().map(each -> (double) each.ps())
        .orElse((settings.trimming() ? 0.75 : 1) * network.baseRttPs());
    long first = settings.initialWindow().map(each -> each.bytes()).orElse(Long.MAX_VALUE);
    return new Nscc(network, target, first, settings.control() == Control.BOTH);
  }

  @Override
  public PathSelector paths(ConnectionPath path, RandomStream random) {
    return switch (settings.loadBalancing()) {
      case SINGLE -> {
        int only = random.nextInt(1 << 16);
        yield () -> only;
      }
      case OBLIVIOUS -> new PathRounds(settings.paths(), random, false);
      case BITMAP -> new PathRounds(settings.paths(), random, true);
      case REPS -> new RecycledPaths(new RandomPaths(settings.paths(), random), settings.paths());
      case MIXED -> new WorkingPaths(new PathRounds(settings.paths(), random, true));
    };
  }

  @Override
  public int pathCount() {
    return settings.loadBalancing() == LoadBalancing.SINGLE ? 1 : settings.paths();
  }

  @Override
  public double steadyUtilisation() {
    return settings.control() == Control.NSCC ? 1 : GRANT_SHARE;
  }

  @Override
  public long timeoutPs(ConnectionPath path) {
    return settings.timeout().map(each -> Math.max(each.ps(), path.baseRttPs() + 1))
        .orElse(LEAST_TIMEOUT_PS + TIMEOUT_QUEUES * network(path).baseRttPs());
  }

  @Override
  public int acknowledgementBytes() {
    return (int) settings.acknowledgementBytes().bytes();
  }

  @Override
  public boolean acceptsTrimmed() {
    return settings.trimming();
  }

  @Override
  public Optional<CongestionControl> creditControl(ConnectionPath path, RandomStream random) {
    return settings.oversubscription() > 1
        ? Optional.of(new CreditRate(network(path), settings.oversubscription(), random))
        : Optional.empty();
  }

  @Override
  public Optional<ReceiverCredits> receiverCredits(ConnectionPath path) {
    if (settings.control() == Control.NSCC) {
      return Optional.empty();
    }
    long most = Math.round(MAX_WINDOW * network(path).bandwidthDelayBytes());
    long first = Math.min(most, settings.initialWindow().map(each -> each.bytes()).orElse(most));
    return Optional.of(new ReceiverCredits(GRANT_BYTES, GRANT_SHARE, first, most));
  }
}
