package dev.heddle.link.ethernet;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.QueuePolicy;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Switch;
import dev.heddle.spi.SwitchProvider;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.Fraction;
import dev.heddle.units.SimTime;
import java.util.List;
import java.util.Optional;

/** Provides Ethernet switches. Their queue management applies where a transport protocol runs. */
@Plugin(id = "ethernet", description = "An Ethernet switch: shared buffer, ECN, priority flow control, trimming")
public final class EthernetSwitchProvider implements SwitchProvider<EthernetSwitchProvider.Settings> {
  private static final int MOST_CLASSES = 8;

  /**
   * Settings of a switch.
   *
   * @param latency of forwarding
   * @param switching when a packet may leave
   * @param queue most bytes of an output queue
   * @param buffer shared by all queues
   * @param queueShare part of the free buffer that one queue may hold
   * @param ecn thresholds of congestion marks
   * @param trimming whether a packet without room loses its payload only
   * @param pfc priority flow control
   * @param classes traffic classes with queues of their own
   * @param statedRate rate of the ports for which {@code queue} and {@code ecn} are stated
   */
  public record Settings(
      @Setting(value = "latency of forwarding", def = "0 s") SimTime latency,
      @Setting(value = "when a packet may leave", def = "store-and-forward") Switch.Switching switching,
      @Setting("most bytes of an output queue; without it, the shared buffer alone limits it") Optional<DataSize> queue,
      @Setting("buffer that all queues share; without it, there is no limit") Optional<DataSize> buffer,
      @Setting(value = "part of the free buffer that one queue may hold", def = "100 %", min = "0.1 %",
          max = "100 %") Fraction queueShare,
      @Setting("thresholds of congestion marks; without them, nothing is marked") Optional<Ecn> ecn,
      @Setting(value = "whether a packet without room loses its payload, not its header",
          def = "false") boolean trimming,
      @Setting("priority flow control; without it, a packet without room is dropped") Optional<Pfc> pfc,
      @Setting("traffic classes from class 0 on, 2 to 8, each with a queue, thresholds and pauses of its own at every"
          + " port; without them, all share one; packet fidelity only") List<TrafficClass> classes,
      @Setting("rate of the ports for which queue and ecn are stated; those of other ports, and of links that a fault"
          + " slows, are in proportion to their rate, so that they hold the same time of traffic; without it, all ports"
          + " have the same bytes") Optional<DataRate> statedRate) {
    /** Copies the list. */
    public Settings {
      classes = List.copyOf(classes);
    }
  }

  /**
   * The treatment of one traffic class at outputs. Control packets of transports, trimmed headers among them, go before
   * all classes.
   *
   * @param weight share of the rate that the strict classes leave, against other weights
   * @param strict whether it goes before all that are not, and before strict classes of lower number
   */
  public record TrafficClass(
      @Setting(value = "share of the rate that strict classes leave, against the weights of others", def = "1",
          min = "1", max = "1000") int weight,
      @Setting(value = "whether it goes before all classes that are not strict, and before strict ones of lower number",
          def = "false") boolean strict) {}

  /**
   * Thresholds of congestion marks.
   *
   * @param min queue that marks no packet yet (Kmin)
   * @param max queue above which every packet is marked (Kmax)
   * @param probability of a mark at {@code max} (Pmax)
   * @param lastHop whether links to terminals mark
   */
  public record Ecn(
      @Setting("queue up to which no packet is marked (Kmin)") DataSize min,
      @Setting("queue above which every packet is marked (Kmax)") DataSize max,
      @Setting(value = "probability of a mark at Kmax (Pmax)", def = "100 %", max = "100 %") Fraction probability,
      @Setting(value = "whether links to terminals mark", def = "true") boolean lastHop) {}

  /**
   * Priority flow control.
   *
   * @param threshold bytes of an input that pause its link
   * @param inputShare part of the free buffer that an input may hold before it pauses its link
   * @param resume how far below the threshold the link may go on
   * @param headroom bytes of each input, and class, for packets that are on their way when it pauses
   * @param classes that pause; empty: all
   */
  public record Pfc(
      @Setting("bytes of an input that pause its link; else its share of the buffer") Optional<DataSize> threshold,
      @Setting(value = "part of the free buffer that an input may hold before it pauses its link", def = "12.5 %",
          min = "0.1 %", max = "100 %",
          source = "alibaba-edu/High-Precision-Congestion-Control 9f4be2a, switch-mmu.cc: shift 3") Fraction inputShare,
      @Setting(value = "bytes below the threshold at which the link may go on", def = "3 KiB",
          source = "alibaba-edu/High-Precision-Congestion-Control 9f4be2a, switch-mmu.cc") DataSize resume,
      @Setting("bytes of each input, and class, for packets on their way when it pauses") DataSize headroom,
      @Setting("traffic classes that pause, each for itself, while others drop; without any, all"
          + " pause") List<Integer> classes) {
    /** Copies the list. */
    public Pfc {
      classes = List.copyOf(classes);
    }
  }

  @Override
  public Switch create(Settings settings) {
    long buffer = settings.buffer().map(DataSize::bytes).orElse(Long.MAX_VALUE);
    long queue = settings.queue().map(DataSize::bytes).orElse(Long.MAX_VALUE);
    settings.ecn().ifPresent(ecn -> {
      if (ecn.max().bytes() < ecn.min().bytes()) {
        throw new InvalidSettingException("ecn", "max " + ecn.max() + " is below min " + ecn.min());
      }
      if (ecn.min().bytes() >= Math.min(buffer, queue)) {
        throw new InvalidSettingException("ecn", "min " + ecn.min() + " is never reached; a queue holds "
            + DataSize.ofBytes(Math.min(buffer, queue)));
      }
    });
    if (settings.statedRate().isPresent() && settings.queue().isEmpty() && settings.ecn().isEmpty()) {
      throw new InvalidSettingException("stated-rate", settings.statedRate().get() + " is stated for no threshold; give"
          + " queue or ecn, or leave it out");
    }
    checkClasses(settings.classes());
    settings.pfc().ifPresent(pfc -> check(settings, pfc, buffer));
    if (queue == 0 || buffer == 0) {
      throw new InvalidSettingException(queue == 0 ? "queue" : "buffer", "0 B hold no packet");
    }
    return new EthernetSwitch(
        settings.latency().ps(), settings.switching(),
        new QueuePolicy(
            queue, buffer, settings.queueShare().value(),
            settings.ecn().map(
                ecn -> new QueuePolicy.Marking(
                    ecn.min().bytes(), ecn.max().bytes(), ecn.probability().value(), ecn.lastHop())),
            settings.trimming(),
            settings.pfc().map(
                pfc -> new QueuePolicy.Pause(
                    pfc.threshold().map(DataSize::bytes).orElse(Long.MAX_VALUE), pfc.inputShare().value(),
                    pfc.resume().bytes(), pfc.headroom().bytes(), pfc.classes())),
            settings.classes().stream().map(each -> each.strict() ? 0 : each.weight()).toList(),
            settings.statedRate().map(DataRate::bitsPerSecond).orElse(0L)));
  }

  private static void checkClasses(List<TrafficClass> classes) {
    if (classes.size() == 1 || classes.size() > MOST_CLASSES) {
      throw new InvalidSettingException("classes", classes.size() + " traffic class" + (classes.size() == 1 ? "" : "es")
          + "; allowed are 2 to " + MOST_CLASSES + ", or none");
    }
    for (int i = 0; i < classes.size(); i++) {
      if (classes.get(i).strict() && classes.get(i).weight() > 1) {
        throw new InvalidSettingException("classes", "class " + i + " is strict and has a weight of "
            + classes.get(i).weight() + "; a strict class takes what it needs, so state one of them");
      }
    }
  }

  // Room of the classes that pause at one port.
  private static void checkHeadroom(Settings settings, Pfc pfc, long buffer) {
    int known = Math.max(1, settings.classes().size());
    for (int each : pfc.classes()) {
      if (each < 0 || each >= known) {
        throw new InvalidSettingException("pfc", "class " + each + " is to pause, but the switch has "
            + (known == 1 ? "one class, 0; name more in classes" : known + " classes, 0 to " + (known - 1)));
      }
    }
    long pausing = pfc.classes().isEmpty() ? known : pfc.classes().stream().distinct().count();
    if (pausing * pfc.headroom().bytes() > buffer) {
      throw new InvalidSettingException("pfc", "headroom " + pfc.headroom() + " of " + pausing
          + (pausing == 1 ? " class" : " classes") + " at a single port exceeds the buffer of "
          + settings.buffer().orElseThrow());
    }
  }

  private static void check(Settings settings, Pfc pfc, long buffer) {
    checkHeadroom(settings, pfc, buffer);
    if (pfc.headroom().bytes() == 0) {
      throw new InvalidSettingException("pfc", "no headroom; packets that are on their way at a pause need room");
    }
    if (settings.trimming()) {
      throw new InvalidSettingException("trimming", "priority flow control leaves nothing to trim; use one of them");
    }
    if (pfc.threshold().isEmpty() && settings.buffer().isEmpty()) {
      throw new InvalidSettingException("pfc", "a threshold is needed, or a buffer of which inputs take a share");
    }
    if (pfc.threshold().map(DataSize::bytes).orElse(0L) > buffer) {
      throw new InvalidSettingException("pfc", "threshold " + pfc.threshold().get() + " exceeds the buffer of "
          + settings.buffer().get());
    }
  }
}
