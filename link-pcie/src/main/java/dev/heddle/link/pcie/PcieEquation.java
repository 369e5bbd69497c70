package dev.heddle.link.pcie;

/**
 * Equation (1) of [SAURON §3.2]: the time that a message takes on a PCIe link, in closed form.
 *
 * <p>The equation divides without rounding: a message of 1.5 times the payload limit takes 1.5 TLPs. {@code pcie} links
 * send whole TLPs and agree with it where the message fills them.
 *
 * @param lanes {@code Width}, above 0
 * @param dataRate of a lane in Gb/s, before encoding
 * @param encoding bits of data per bit on the wire, such as 128/130
 * @param tlpOverhead bytes that each TLP adds
 * @param maxPayloadSize largest payload of a TLP in bytes
 * @param dllpBytes {@code DLLPOverhead + DLLPSize} in bytes
 * @param ackFactor TLPs per acknowledgement
 */
public record PcieEquation(
    int lanes, double dataRate, double encoding, int tlpOverhead, int maxPayloadSize, int dllpBytes, double ackFactor) {
  /** {@code BytesPerNs = Width / (1 / (DataRate * Encoding))}, with the data rate in bytes per ns. */
  public double bytesPerNs() {
    return lanes * dataRate / 8 * encoding;
  }

  /** {@code TLPTime = (TLPOverhead + MaxPayloadSize) / BytesPerNs}, in ns. */
  public double tlpTime() {
    return (tlpOverhead + maxPayloadSize) / bytesPerNs();
  }

  /** {@code DLLPTime = (DLLPOverhead + DLLPSize) / BytesPerNs}, in ns. */
  public double dllpTime() {
    return dllpBytes / bytesPerNs();
  }

  /** {@code NumberTLPs = MessageSize / MaxPayloadSize}. */
  public double tlps(long messageBytes) {
    return (double) messageBytes / maxPayloadSize;
  }

  /** {@code NumberACKs = NumberTLPs / AckFactor}. */
  public double acks(long messageBytes) {
    return tlps(messageBytes) / ackFactor;
  }

  /** {@code LatencyTime = NumberTLPs * TLPTime + NumberACKs * DLLPTime}, in ns. */
  public double latencyTime(long messageBytes) {
    return tlps(messageBytes) * tlpTime() + acks(messageBytes) * dllpTime();
  }
}
