package dev.heddle.collectives.nccl.system;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The speed of a PCIe lane in the notation of Linux. */
final class PciSpeed {
  /** The valid speeds, for messages. */
  static final String ALLOWED = "2.5, 5, 8, 16, 32, 64 GT/s";

  /** The speed that NCCL assumes if it is unknown: generation 3. */
  private static final String UNKNOWN = "8";

  private static final Pattern TEXT = Pattern.compile("(2\\.5|5|8|16|32|64)(?:\\.0)? GT/s(?: PCIe)?");

  private PciSpeed() {}

  /** The gigatransfers per second, such as {@code 2.5} or {@code 32}; empty if the text is no speed. */
  static Optional<String> of(String text) {
    if (text.isBlank() || text.equals("Unknown speed") || text.equals("Unknown")) {
      return Optional.of(UNKNOWN);
    }
    Matcher matcher = TEXT.matcher(text);
    return matcher.matches() ? Optional.of(matcher.group(1)) : Optional.empty();
  }
}
