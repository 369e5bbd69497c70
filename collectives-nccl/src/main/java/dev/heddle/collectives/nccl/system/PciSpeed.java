package dev.heddle.collectives.nccl.system;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The speed of a PCIe lane, as Linux writes it. */
final class PciSpeed {
  /** What may be written. */
  static final String ALLOWED = "2.5, 5, 8, 16, 32, 64 GT/s";

  /** What NCCL takes where the speed is not known: generation 3. */
  private static final String UNKNOWN = "8";

  private static final Pattern TEXT = Pattern.compile("(2\\.5|5|8|16|32|64)(?:\\.0)? GT/s(?: PCIe)?");

  private PciSpeed() {}

  /** The gigatransfers per second, as in {@code 2.5} or {@code 32}; empty where the text is none. */
  static Optional<String> of(String text) {
    if (text.isBlank() || text.equals("Unknown speed") || text.equals("Unknown")) {
      return Optional.of(UNKNOWN);
    }
    Matcher matcher = TEXT.matcher(text);
    return matcher.matches() ? Optional.of(matcher.group(1)) : Optional.empty();
  }
}
