package dev.heddle.transport.roce;

import dev.heddle.spi.CongestionControl;
import dev.heddle.spi.CongestionControl.Acknowledgement;
import dev.heddle.spi.ConnectionPath;

/**
 * DCTCP [Alizadeh et al. 2010]: once a round trip the window falls by half of the smoothed share of marked packets, or
 * grows by a packet. It starts at the bandwidth-delay product, as there is no slow start among RDMA connections.
 */
final class DctcpControl implements CongestionControl {
  private static final double GAIN = 1.0 / 16;

  private final double packetBytes;
  private final double most;
  private double window;
  private double alpha = 1;
  private double marked;
  private double acknowledged;
  private long roundEnd;
  private boolean isReduced;

  DctcpControl(ConnectionPath path) {
    packetBytes = path.packetBytes();
    window = Math.max(packetBytes, path.bandwidthDelayBytes());
    most = 64 * window;
  }

  @Override
  public long windowBytes() {
    return (long) window;
  }

  @Override
  public void onAcknowledgement(Acknowledgement acknowledgement) {
    double bytes = acknowledgement.newBytes();
    acknowledged += bytes;
    if (acknowledgement.marked()) {
      marked += bytes;
      if (!isReduced) {
        isReduced = true;
        window = Math.max(packetBytes, window * (1 - alpha / 2));
      }
    }
    if (acknowledgement.packet() >= roundEnd) {
      if (acknowledged > 0) {
        alpha += GAIN * (Math.min(1, marked / acknowledged) - alpha);
      }
      if (!isReduced) {
        window = Math.min(most, window + packetBytes);
      }
      isReduced = false;
      marked = 0;
      acknowledged = 0;
      roundEnd = acknowledgement.nextPacket();
    }
  }

  @Override
  public void onLoss(long nowPs, long bytes) {
    window = Math.max(packetBytes, window / 2);
  }

  @Override
  public void onTimeout(long nowPs, long bytes) {
    window = packetBytes;
  }
}
