package dev.heddle.standard.link;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.LinkModel;
import dev.heddle.spi.LinkProvider;
import dev.heddle.spi.Medium;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.Fraction;
import dev.heddle.units.SimTime;
import java.util.Optional;

/** Provides the link of no vendor: a rate, a latency, a payload limit and an overhead per packet. */
@Plugin(id = "generic", description = "A link of no vendor: rate, latency, payload limit and overhead per packet")
public final class GenericLinkProvider implements LinkProvider<GenericLinkProvider.Settings> {
  /**
   * The settings of a generic link.
   *
   * @param rate data rate after encoding
   * @param latency of the first bit
   * @param maxPayload largest payload of a packet
   * @param overhead bytes that each packet adds on the wire
   * @param buffer receiver's buffer per virtual channel, in bytes on the wire; absent: unlimited
   * @param creditReturn time until a freed buffer is known to the sender; absent: the latency
   * @param virtualChannels virtual channels, each with a buffer
   * @param medium kind of wire
   * @param loss share of packets that do not arrive
   * @param network name of its network, under which libraries keep their times; absent: not known
   */
  public record Settings(
      @Setting("data rate after line encoding") DataRate rate,
      @Setting(value = "time from the first bit's leaving to its arrival", def = "0 s") SimTime latency,
      @Setting(value = "largest payload of one packet", def = "4 KiB", min = "1 B", max = "1 GiB") DataSize maxPayload,
      @Setting(value = "bytes that each packet adds on the wire", def = "0 B", max = "1 MiB") DataSize overhead,
      @Setting("receiver's buffer per virtual channel; without it, unlimited") Optional<DataSize> buffer,
      @Setting("time until a freed buffer is known to the sender; without it, the "
          + "latency") Optional<SimTime> creditReturn,
      @Setting(value = "virtual channels, each with a separate buffer", def = "1", min = "1",
          max = "8") int virtualChannels,
      @Setting(value = "kind of wire, by the devices that it joins", def = "network") Medium medium,
      @Setting(value = "share of packets that do not arrive, and are sent again; packet fidelity only", def = "0",
          max = "99 %") Fraction loss,
      @Setting("name of its network, by which libraries find its times, such as efa") Optional<String> network) {
    /** A link between nodes. */
    public Settings(
        DataRate rate, SimTime latency, DataSize maxPayload, DataSize overhead, Optional<DataSize> buffer,
        Optional<SimTime> creditReturn, int virtualChannels) {
      this(rate, latency, maxPayload, overhead, buffer, creditReturn, virtualChannels, Medium.NETWORK,
          Fraction.of(0), Optional.empty());
    }

    /** The same link as another kind of wire. */
    public Settings medium(Medium value) {
      return new Settings(rate, latency, maxPayload, overhead, buffer, creditReturn, virtualChannels, value, loss,
          network);
    }

    /** The same that loses packets. */
    public Settings loss(Fraction value) {
      return new Settings(
          rate, latency, maxPayload, overhead, buffer, creditReturn, virtualChannels, medium, value, network);
    }

    /** A link with the defaults. */
    public static Settings of(DataRate rate, SimTime latency) {
      return new Settings(
          rate, latency, DataSize.ofKiB(4), DataSize.ZERO, Optional.empty(), Optional.empty(), 1);
    }
  }

  @Override
  public Link create(Settings settings) {
    if (settings.buffer().filter(DataSize.ZERO::equals).isPresent()) {
      throw new InvalidSettingException("buffer", "0 B hold no packet; without it, the buffer is unlimited");
    }
    return new LinkModel(
        settings.rate(), settings.latency(), settings.maxPayload(), settings.overhead(), settings.buffer(),
        settings.creditReturn(), settings.virtualChannels(), settings.medium(), settings.loss(),
        settings.network().orElse(""));
  }
}
