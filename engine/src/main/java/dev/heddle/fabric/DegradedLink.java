package dev.heddle.fabric;

import dev.heddle.spi.Credits;
import dev.heddle.spi.Link;
import dev.heddle.spi.Medium;
import dev.heddle.units.DataRate;
import java.util.List;

/**
 * A link with a fault: at a lower rate every symbol takes longer, so that wire times, overheads and acknowledgements
 * grow by the ratio of the rates; with a longer latency, credits return later, and its buffers stay as they are.
 */
final class DegradedLink implements Link {
  private final Link link;
  private final DataRate rate;
  private final double slowdown;
  private final long latencyPs;
  private final double loss;
  private final List<Credits> credits;

  /**
   * Degrades a link.
   *
   * @param fault whose rate counts where the link's is higher
   */
  DegradedLink(Link link, Fault fault) {
    this.link = link;
    rate = fault.rate().filter(each -> each.bitsPerSecond() < link.rate().bitsPerSecond()).orElse(link.rate());
    slowdown = (double) link.rate().bitsPerSecond() / rate.bitsPerSecond();
    latencyPs = fault.latency().map(each -> each.ps()).orElse(link.latencyPs());
    loss = fault.loss().map(each -> each.value()).orElse(link.loss());
    long later = latencyPs - link.latencyPs();
    credits = link.credits().stream()
        .map(each -> new Credits(each.bufferBytes(), each.headers(), each.granuleBytes(), each.wholePacket(),
            Math.max(0, each.returnPs() + later)))
        .toList();
  }

  private long slower(long ps) {
    return (long) Math.ceil(ps * slowdown);
  }

  @Override
  public DataRate rate() {
    return rate;
  }

  @Override
  public long latencyPs() {
    return latencyPs;
  }

  @Override
  public int maxPayloadBytes() {
    return link.maxPayloadBytes();
  }

  @Override
  public long wirePs(int payloadBytes, int trafficClass) {
    long ps = link.wirePs(payloadBytes, trafficClass);
    return slowdown == 1 ? ps : Math.max(slower(ps), rate.wirePs(link.wireBytes(payloadBytes, trafficClass)));
  }

  @Override
  public long wireBytes(int payloadBytes, int trafficClass) {
    return link.wireBytes(payloadBytes, trafficClass);
  }

  @Override
  public long headPs(int payloadBytes, int trafficClass) {
    return slower(link.headPs(payloadBytes, trafficClass));
  }

  @Override
  public long ackPs(int payloadBytes, int trafficClass) {
    return halfDuplex() ? wirePs(payloadBytes, trafficClass) : slower(link.ackPs(payloadBytes, trafficClass));
  }

  @Override
  public int memoryTransfers(int trafficClass) {
    return link.memoryTransfers(trafficClass);
  }

  @Override
  public boolean halfDuplex() {
    return link.halfDuplex();
  }

  @Override
  public int packets(int payloadBytes) {
    return link.packets(payloadBytes);
  }

  @Override
  public double loss() {
    return loss;
  }

  @Override
  public List<Gid> gids() {
    return link.gids();
  }

  @Override
  public String network() {
    return link.network();
  }

  @Override
  public Medium medium() {
    return link.medium();
  }

  @Override
  public List<Credits> credits() {
    return credits;
  }
}
