package dev.heddle.link.pcie;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.LinkProvider;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.List;
import java.util.Optional;

/**
 * Provides PCI Express links: TLPs with their headers and checksums, acknowledgements and flow control, credits for
 * posted, non-posted and completion TLPs.
 *
 * <p>Traffic classes: 0 posted writes, 1 non-posted requests (a read request is a message without payload), 2
 * completions with data; others are posted. Virtual channels: 0 posted, 1 non-posted, 2 completions.
 */
@Plugin(id = "pcie", description = "A PCI Express link of generation 1 to 6, x1 to x32")
public final class PcieLinkProvider implements LinkProvider<PcieLinkProvider.Settings> {
  private static final List<Integer> WIDTHS = List.of(1, 2, 4, 8, 12, 16, 32);

  /**
   * The settings of a PCIe link.
   *
   * @param generation 1 to 6; gives lane rate, encoding and internal delay
   * @param lanes 1, 2, 4, 8, 12, 16 or 32
   * @param laneRate of one lane before encoding; absent: as the generation defines it
   * @param encoding of a lane; absent: as the generation defines it
   * @param maxPayload MPS, a power of two from 128 B to 4 KiB
   * @param headerWords of a memory request: 3 for 32-bit addresses, 4 for 64-bit ones
   * @param ecrc whether TLPs carry an end-to-end checksum of 4 bytes
   * @param tlpOverhead bytes that each TLP adds, in place of those that follow from the protocol
   * @param completion payload of a completion: as large as MPS allows, or the read completion boundary
   * @param readCompletionBoundary RCB
   * @param dllp bytes of a DLLP on the wire
   * @param ackFactor TLPs per acknowledgement
   * @param flowControlFactor TLPs per flow-control update; 0: not counted
   * @param acks the direction that the DLLPs of a burst occupy
   * @param skip whether skip ordered sets are counted
   * @param latency of the first bit, with both ends' logic
   * @param posted receiver's buffer for posted TLPs
   * @param nonPosted receiver's buffer for non-posted TLPs
   * @param completions receiver's buffer for completions
   * @param creditReturn time until a freed buffer is known to the sender
   */
  public record Settings(
      @Setting(value = "generation; gives lane rate, encoding and internal delay", def = "3", min = "1",
          max = "6") int generation,
      @Setting(value = "lanes: 1, 2, 4, 8, 12, 16 or 32", def = "16", min = "1", max = "32") int lanes,
      @Setting("rate of a lane before encoding; without it, as the generation defines it") Optional<DataRate> laneRate,
      @Setting("encoding of a lane; without it, as the generation defines it") Optional<Encoding> encoding,
      @Setting(value = "largest payload of a TLP (MPS), a power of two", def = "256 B", min = "128 B",
          max = "4 KiB") DataSize maxPayload,
      @Setting(value = "words of 4 B of a memory request's header: 3 with 32-bit addresses, 4 with 64-bit ones",
          def = "4", min = "3", max = "4", source = "PCI Express Base Specification 3.0 §2.2") int headerWords,
      @Setting(value = "whether TLPs carry an end-to-end checksum of 4 B", def = "false") boolean ecrc,
      @Setting("bytes that each TLP adds, in place of those that follow from the protocol: of generation 3, 28 B "
          + "are framing 4, a header of 4 words, ECRC 4 and LCRC 4 (PCI Express Base Specification 3.0 "
          + "§2.2.1, §2.7, §3.6, §4.2.2)") Optional<DataSize> tlpOverhead,
      @Setting(value = "payload of a completion: mps, or pieces of the read completion boundary (rcb)",
          def = "mps") Completion completion,
      @Setting(value = "read completion boundary (RCB) of the completer", def = "64 B", min = "64 B", max = "128 B",
          source = "PCI Express Base Specification 3.0 §2.3.1.1") DataSize readCompletionBoundary,
      @Setting(value = "bytes of an acknowledgement or flow-control update on the wire", def = "8 B", max = "64 B",
          source = "PCI Express Base Specification 3.0 §3.4: 6 B and 2 B of framing") DataSize dllp,
      @Setting(value = "TLPs per acknowledgement", def = "1", min = "1", max = "64",
          source = "[SAURON §3.2 eq. 1]") int ackFactor,
      @Setting(value = "TLPs per flow-control update; 0: not counted, as in [SAURON §3.2 eq. 1]", def = "0", min = "0",
          max = "64") int flowControlFactor,
      @Setting(value = "direction that a burst's acknowledgements and updates occupy: its own (forward), as in "
          + "[SAURON §3.2 eq. 1], or the opposite one (reverse)",
          def = "forward") Acknowledgements acks,
      @Setting(value = "whether skip ordered sets are counted", def = "false") boolean skip,
      @Setting(value = "time from a bit's leaving to its arrival, with the logic of both ends",
          def = "10 ns") SimTime latency,
      @Setting(
          value = "receiver's buffer for posted TLPs; without it, 127 headers and 750 data up to generation 3, and "
              + "from there on twice as much per generation, since a buffer covers the time of a round trip",
          source = "generation 3: Intel UG 683111, L- and H-tile PCIe IP, §6.5; later ones: a "
              + "choice") Optional<Buffer> posted,
      @Setting(value = "receiver's buffer for non-posted TLPs", def = "{headers: 115, data: 230}",
          source = "Intel UG 683111, L- and H-tile PCIe IP, §6.5") Buffer nonPosted,
      @Setting(value = "receiver's buffer for completions; endpoints advertise it unlimited",
          def = "{headers: 0, data: 0}", source = "PCI Express Base Specification 3.0 §2.6.1") Buffer completions,
      @Setting("time until a freed buffer is known to the sender; without it, the generation's internal delay, an "
          + "update's wire time and the latency") Optional<SimTime> creditReturn) {
    /** The receiver's buffer for posted TLPs, as given or as the generation defines it. */
    Buffer postedBuffer() {
      int times = 1 << Math.max(0, generation - 3);
      return posted.orElseGet(() -> new Buffer(127 * times, 750 * times));
    }

    /** A link of a generation, width and MPS, with the other defaults. */
    public static Settings of(int generation, int lanes, int maxPayload) {
      return new Settings(
          generation, lanes, Optional.empty(), Optional.empty(), DataSize.ofBytes(maxPayload), 4, false,
          Optional.empty(), Completion.MPS, DataSize.ofBytes(64), DataSize.ofBytes(8), 1, 0, Acknowledgements.FORWARD,
          false, SimTime.parse("10 ns"), Optional.empty(), new Buffer(115, 230), new Buffer(0, 0),
          Optional.empty());
    }
  }

  /**
   * A receiver's buffer for one kind of TLP, as advertised at initialisation.
   *
   * @param headers header credits, one per TLP
   * @param data data credits of 16 bytes
   */
  public record Buffer(
      @Setting(value = "header credits, one per TLP; 0: unlimited", min = "0", max = "65535") int headers,
      @Setting(value = "data credits of 16 B; 0: unlimited", min = "0", max = "16777215") int data) {}

  /** The encoding of bytes on a lane. */
  public enum Encoding {
    /** 8b/10b, generations 1 and 2. */
    B8B10,
    /** 128b/130b, generations 3 to 5. */
    B128B130,
    /** Flits of 256 bytes: 236 of TLPs, 6 of DLLPs, 8 of CRC, 6 of FEC; generation 6. */
    FLIT
  }

  /** The payload of a completion. */
  public enum Completion {
    /** As much as the MPS allows. */
    MPS,
    /** Pieces of the read completion boundary, the behaviour of many root complexes. */
    RCB
  }

  /** Which direction DLLPs occupy. */
  public enum Acknowledgements {
    /** The burst's own direction. */
    FORWARD,
    /** The opposite one, as on the real full-duplex link. */
    REVERSE
  }

  @Override
  public Link create(Settings settings) {
    if (!WIDTHS.contains(settings.lanes())) {
      throw new InvalidSettingException("lanes", settings.lanes() + " lanes; a PCIe link has one of " + WIDTHS);
    }
    requirePowerOfTwo("maxPayload", settings.maxPayload());
    requirePowerOfTwo("readCompletionBoundary", settings.readCompletionBoundary());
    requireRoom("posted", settings.postedBuffer(), settings.maxPayload());
    requireRoom("completions", settings.completions(), settings.maxPayload());
    return new PcieLink(settings);
  }

  private static void requirePowerOfTwo(String component, DataSize size) {
    if (Long.bitCount(size.bytes()) != 1) {
      throw new InvalidSettingException(
          component, size + "; a power of two is needed, such as " + Long.highestOneBit(size.bytes()) + " B");
    }
  }

  private static void requireRoom(String component, Buffer buffer, DataSize maxPayload) {
    long needed = (maxPayload.bytes() + 15) / 16;
    if (buffer.data() != 0 && buffer.data() < needed) {
      throw new InvalidSettingException(
          component, buffer.data() + " data credits; a TLP of " + maxPayload + " needs at least " + needed);
    }
  }
}
