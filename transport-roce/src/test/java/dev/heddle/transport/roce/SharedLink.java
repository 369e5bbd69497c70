package dev.heddle.transport.roce;

import dev.heddle.spi.CongestionControl;
import dev.heddle.spi.CongestionControl.Acknowledgement;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * A link with one queue that several senders share, in steps of time: each sends packets at the lesser of its rate and
 * its window per round trip, and gets an acknowledgement of each a round trip later. It is as simple as the fluid
 * models of the papers, and shares no code with the packet network.
 */
final class SharedLink {
  private static final long STEP_PS = 200_000;
  private static final int PACKET = 4160;

  private final double bytesPerPs;
  private final long basePs;
  private final List<? extends CongestionControl> controls;
  private final Random random;
  private final double[] credit;
  private final long[] packets;
  private final long[] notifiedPs;
  private final ArrayDeque<Ack> acknowledgements = new ArrayDeque<>();
  private double queueBytes;
  private double departedBytes;
  private long nowPs;

  // Sums over the time since the last reset.
  private final double[] sentBytes;
  private double queueTime;
  private double tripTime;
  private double markTime;
  private long steps;

  /** Marking by the queue: none up to a least length, then linear up to a probability at the most. */
  record Marking(double leastBytes, double mostBytes, double probability) {
    double of(double queue) {
      return queue <= leastBytes ? 0
          : queue > mostBytes ? 1 : probability * (queue - leastBytes) / (mostBytes - leastBytes);
    }
  }

  private final Marking marking;
  private final long notificationPs;

  private record Ack(
      int flow, long atPs, long roundTripPs, long packet, boolean marked, long hopSent, long hopQueue,
      long hopTimePs) {}

  private record Signal(Ack ack, long nextPacket, long nowPs, double bytesPerPs) implements Acknowledgement {
    @Override
    public long newBytes() {
      return PACKET;
    }

    @Override
    public long inFlightBytes() {
      return 0;
    }

    @Override
    public long roundTripPs() {
      return ack.roundTripPs();
    }

    @Override
    public boolean marked() {
      return ack.marked();
    }

    @Override
    public long packet() {
      return ack.packet();
    }

    @Override
    public int hops() {
      return 1;
    }

    @Override
    public long hopTimePs(int hop) {
      return ack.hopTimePs();
    }

    @Override
    public long hopSentBytes(int hop) {
      return ack.hopSent();
    }

    @Override
    public long hopQueueBytes(int hop) {
      return ack.hopQueue();
    }

    @Override
    public long hopRate(int hop) {
      return Math.round(bytesPerPs * 8e12);
    }
  }

  /**
   * An idle link.
   *
   * @param bitsPerSecond rate
   * @param basePs round trip without a queue
   * @param notificationPs least time between two notifications of a sender; 0 for none at all
   */
  SharedLink(long bitsPerSecond, long basePs, List<? extends CongestionControl> controls, Marking marking,
      long notificationPs, long seed) {
    bytesPerPs = bitsPerSecond / 8e12;
    this.basePs = basePs;
    this.controls = controls;
    this.marking = marking;
    this.notificationPs = notificationPs;
    random = new Random(seed);
    credit = new double[controls.size()];
    packets = new long[controls.size()];
    notifiedPs = new long[controls.size()];
    Arrays.fill(notifiedPs, -notificationPs);
    sentBytes = new double[controls.size()];
  }

  /** Runs for a time. */
  void run(long ps) {
    for (long end = nowPs + ps; nowPs < end; nowPs += STEP_PS) {
      acknowledge();
      send();
      double out = Math.min(queueBytes, bytesPerPs * STEP_PS);
      queueBytes -= out;
      departedBytes += out;
      queueTime += queueBytes;
      tripTime += roundTripPs();
      markTime += marking.of(queueBytes);
      steps++;
    }
  }

  private double roundTripPs() {
    return basePs + queueBytes / bytesPerPs;
  }

  private void acknowledge() {
    while (!acknowledgements.isEmpty() && acknowledgements.peek().atPs() <= nowPs) {
      Ack ack = acknowledgements.remove();
      CongestionControl control = controls.get(ack.flow());
      control.onAcknowledgement(new Signal(ack, packets[ack.flow()], nowPs, bytesPerPs));
      if (ack.marked() && notificationPs > 0 && nowPs - notifiedPs[ack.flow()] >= notificationPs) {
        notifiedPs[ack.flow()] = nowPs;
        control.onNotification(nowPs);
      }
    }
    for (CongestionControl control : controls) {
      if (control.timerPs() <= nowPs) {
        control.onTimer(nowPs);
      }
    }
  }

  private void send() {
    int first = random.nextInt(controls.size());
    for (int i = 0; i < controls.size(); i++) {
      int flow = (first + i) % controls.size();
      CongestionControl control = controls.get(flow);
      double windowRate = control.windowBytes() / roundTripPs();
      credit[flow] += STEP_PS * Math.min(control.rateBitsPerSecond() / 8e12, windowRate);
      while (credit[flow] >= PACKET) {
        credit[flow] -= PACKET;
        queueBytes += PACKET;
        sentBytes[flow] += PACKET;
        control.onSent(nowPs, PACKET);
        long trip = Math.round(roundTripPs());
        acknowledgements.add(new Ack(flow, nowPs + trip, trip, packets[flow]++,
            random.nextDouble() < marking.of(queueBytes), Math.round(departedBytes + queueBytes),
            Math.round(queueBytes - PACKET), nowPs + trip - basePs / 2));
      }
    }
  }

  /** Begins the averages anew. */
  void reset() {
    Arrays.fill(sentBytes, 0);
    queueTime = 0;
    tripTime = 0;
    markTime = 0;
    steps = 0;
  }

  /** The mean rate of each sender since the last reset, in bits per second. */
  double[] rates() {
    return Arrays.stream(sentBytes).map(bytes -> bytes * 8e12 / (steps * (double) STEP_PS)).toArray();
  }

  /** The mean queue in bytes. */
  double queue() {
    return queueTime / steps;
  }

  /** The mean round trip in picoseconds. */
  double trip() {
    return tripTime / steps;
  }

  /** The mean probability of a mark. */
  double marks() {
    return markTime / steps;
  }
}
