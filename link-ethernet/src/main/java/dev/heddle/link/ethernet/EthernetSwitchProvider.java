package dev.heddle.link.ethernet;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.QueuePolicy;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Switch;
import dev.heddle.spi.SwitchProvider;
import dev.heddle.units.DataSize;
import dev.heddle.units.Fraction;
import dev.heddle.units.SimTime;
import java.util.Optional;

/** Provides Ethernet switches. Their queue management applies where a transport protocol runs. */
@Plugin(id = "ethernet", description = "An Ethernet switch: shared buffer, ECN, priority flow control, trimming")
public final class EthernetSwitchProvider implements SwitchProvider<EthernetSwitchProvider.Settings> {
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
      @Setting("priority flow control; without it, a packet without room is dropped") Optional<Pfc> pfc) {}

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
   * @param headroom bytes of each input for packets that are on their way when it pauses
   */
  public record Pfc(
      @Setting("bytes of an input that pause its link; else its share of the buffer") Optional<DataSize> threshold,
      @Setting(value = "part of the free buffer that an input may hold before it pauses its link", def = "12.5 %",
          min = "0.1 %", max = "100 %",
          source = "alibaba-edu/High-Precision-Congestion-Control 9f4be2a, switch-mmu.cc: shift 3") Fraction inputShare,
      @Setting(value = "bytes below the threshold at which the link may go on", def = "3 KiB",
          source = "alibaba-edu/High-Precision-Congestion-Control 9f4be2a, switch-mmu.cc") DataSize resume,
      @Setting("bytes of each input for packets on their way when it pauses") DataSize headroom) {}

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
                    pfc.resume().bytes(), pfc.headroom().bytes()))));
  }

  private static void check(Settings settings, Pfc pfc, long buffer) {
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
