package dev.heddle.transport.roce;

import dev.heddle.spi.CongestionControl;
import dev.heddle.spi.ConnectionPath;

/** No congestion control: the line rate, and a window if one is set. */
final class LineRate implements CongestionControl {
  private final long rate;
  private final long window;

  LineRate(ConnectionPath path, long window) {
    rate = path.rateBitsPerSecond();
    this.window = window;
  }

  @Override
  public long windowBytes() {
    return window;
  }

  @Override
  public long rateBitsPerSecond() {
    return rate;
  }
}
