package dev.heddle.transport.roce;

import dev.heddle.spi.CongestionControl;
import dev.heddle.spi.PathSelector;

/**
 * A congestion control whose connection takes another path after every gap between its packets: the number of the
 * flowlet is the packet's entropy, which every switch hashes [Vanini et al., LetFlow, NSDI 2017; here the gap is
 * that at the sender, there that at the switch]. A gap longer than the difference of two paths' delays keeps packets in
 * order.
 */
final class FlowletControl implements CongestionControl, PathSelector {
  private static final int VALUES = 1 << 16;

  private final CongestionControl control;
  private final long gapPs;
  private long sentPs = Long.MAX_VALUE;
  private int flowlet;

  FlowletControl(CongestionControl control, long gapPs) {
    this.control = control;
    this.gapPs = gapPs;
  }

  @Override
  public int next() {
    return flowlet;
  }

  @Override
  public void onSent(long nowPs, int bytes) {
    if (nowPs - sentPs > gapPs) {
      flowlet = flowlet + 1 & VALUES - 1;
    }
    sentPs = nowPs;
    control.onSent(nowPs, bytes);
  }

  @Override
  public long windowBytes() {
    return control.windowBytes();
  }

  @Override
  public long rateBitsPerSecond() {
    return control.rateBitsPerSecond();
  }

  @Override
  public void onAcknowledgement(Acknowledgement acknowledgement) {
    control.onAcknowledgement(acknowledgement);
  }

  @Override
  public void onNotification(long nowPs) {
    control.onNotification(nowPs);
  }

  @Override
  public void onTrimmed(long nowPs, int bytes, boolean lastHop) {
    control.onTrimmed(nowPs, bytes, lastHop);
  }

  @Override
  public void onLoss(long nowPs, long bytes) {
    control.onLoss(nowPs, bytes);
  }

  @Override
  public void onTimeout(long nowPs, long bytes) {
    control.onTimeout(nowPs, bytes);
  }

  @Override
  public long timerPs() {
    return control.timerPs();
  }

  @Override
  public void onTimer(long nowPs) {
    control.onTimer(nowPs);
  }
}
