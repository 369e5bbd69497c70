package dev.heddle.observe;

import java.util.List;

/**
 * Several observers of one network.
 *
 * @param observers told in their order
 */
record AllObservers(List<NetworkObserver> observers) implements NetworkObserver {
  @Override
  public void transmitted(int link, int channel, long startPs, long endPs, int payloadBytes) {
    observers.forEach(each -> each.transmitted(link, channel, startPs, endPs, payloadBytes));
  }

  @Override
  public void delivered(int source, int destination, long bytes, long generatedPs, long deliveredPs) {
    observers.forEach(each -> each.delivered(source, destination, bytes, generatedPs, deliveredPs));
  }

  @Override
  public void queued(int link, long timePs, long bytes) {
    observers.forEach(each -> each.queued(link, timePs, bytes));
  }

  @Override
  public void marked(int link, long timePs) {
    observers.forEach(each -> each.marked(link, timePs));
  }

  @Override
  public void paused(int link, int channels, long timePs) {
    observers.forEach(each -> each.paused(link, channels, timePs));
  }
}
