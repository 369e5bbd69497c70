package dev.heddle.docs;

// sample: provider
import dev.heddle.spi.CongestionControl;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.spi.TransportProtocolProvider;
import dev.heddle.units.SimTime;

/** Provides congestion control by additive increase and multiplicative decrease of a window [Chiu and Jain 1989]. */
@Plugin(id = "aimd", description = "A window with additive increase, and multiplicative decrease on marks and losses")
public final class AimdTransportProvider implements TransportProtocolProvider<AimdTransportProvider.Settings> {
  /**
   * Settings of the control.
   *
   * @param decrease factor of the window on congestion
   * @param timeout of a packet without acknowledgement
   */
  public record Settings(
      @Setting(value = "factor of the window on congestion", def = "0.5", min = "0.1", max = "0.99") double decrease,
      @Setting(value = "time after which a packet counts as lost", def = "1 ms") SimTime timeout) {}

  @Override
  public TransportProtocol create(Settings settings) {
    return new AimdTransport(settings);
  }
  // end

  // sample: protocol
  private record AimdTransport(Settings settings) implements TransportProtocol {
    @Override
    public LossRecovery lossRecovery() {
      return LossRecovery.SELECTIVE_REPEAT;
    }

    @Override
    public CongestionControl connect(ConnectionPath path) {
      return new Window(path, settings.decrease());
    }

    @Override
    public long timeoutPs(ConnectionPath path) {
      return Math.max(settings.timeout().ps(), 2 * path.baseRttPs());
    }

    @Override
    public int reorderingPackets() {
      return 3;
    }
  }
  // end

  // sample: control
  /** State of one connection: a window that falls at most once in a round trip. */
  private static final class Window implements CongestionControl {
    private final double packet;
    private final double most;
    private final double decrease;
    private double bytes;
    private long reducedUntil;

    Window(ConnectionPath path, double decrease) {
      packet = path.packetBytes();
      bytes = Math.max(packet, path.bandwidthDelayBytes());
      most = 2 * bytes;
      this.decrease = decrease;
    }

    @Override
    public long windowBytes() {
      return (long) bytes;
    }

    @Override
    public void onAcknowledgement(Acknowledgement acknowledgement) {
      if (!acknowledgement.marked()) {
        bytes = Math.min(most, bytes + packet * acknowledgement.newBytes() / bytes);
      } else if (acknowledgement.packet() >= reducedUntil) {
        reducedUntil = acknowledgement.nextPacket();
        bytes = Math.max(packet, bytes * decrease);
      }
    }

    @Override
    public void onLoss(long nowPs, long lost) {
      bytes = Math.max(packet, bytes * decrease);
    }

    @Override
    public void onTimeout(long nowPs, long lost) {
      bytes = packet;
    }
  }
  // end
}
