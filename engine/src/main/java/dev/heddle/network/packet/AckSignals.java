package dev.heddle.network.packet;

import dev.heddle.spi.CongestionControl.Acknowledgement;

/** The signals of the acknowledgement that a sender handles: a view on its packet. */
final class AckSignals implements Acknowledgement {
  private final TransportHeader headers;
  private int unit;
  private long nowPs;
  private long roundTripPs;
  private long newBytes;
  private long inFlightBytes;
  private int packet;
  private int nextPacket;

  AckSignals(TransportHeader headers) {
    this.headers = headers;
  }

  void show(int ofUnit, long now, long roundTrip, long acknowledged, SendConnection connection) {
    unit = ofUnit;
    nowPs = now;
    roundTripPs = roundTrip;
    newBytes = acknowledged;
    inFlightBytes = connection.outstanding();
    packet = headers.packet(ofUnit);
    nextPacket = connection.next;
  }

  @Override
  public long nowPs() {
    return nowPs;
  }

  @Override
  public long roundTripPs() {
    return roundTripPs;
  }

  @Override
  public long newBytes() {
    return newBytes;
  }

  @Override
  public boolean marked() {
    return headers.has(unit, TransportHeader.MARKED);
  }

  @Override
  public long inFlightBytes() {
    return inFlightBytes;
  }

  @Override
  public long packet() {
    return packet;
  }

  @Override
  public long nextPacket() {
    return nextPacket;
  }

  @Override
  public int hops() {
    return headers.hops(unit);
  }

  @Override
  public long hopTimePs(int hop) {
    return headers.hop(unit, hop, 0);
  }

  @Override
  public long hopSentBytes(int hop) {
    return headers.hop(unit, hop, 1);
  }

  @Override
  public long hopQueueBytes(int hop) {
    return headers.hop(unit, hop, 2);
  }

  @Override
  public long hopRate(int hop) {
    return headers.hop(unit, hop, 3);
  }
}
