package dev.heddle.cli.nccl;

import dev.heddle.spi.InvalidSettingException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes in the syntax of nccl-tests: a number, with K, M or G for powers of 1024; KiB, MiB and GiB are read too. */
final class Sizes {
  private static final Pattern TEXT = Pattern.compile("(\\d+(?:\\.\\d+)?) ?(?:([KMG])I?)?B?");
  private static final long MOST = 1L << 46;

  private Sizes() {}

  /**
   * Parses a size.
   *
   * @throws InvalidSettingException when the text is no size, or the size is too large
   */
  static long parse(String option, String text) {
    Matcher matcher = TEXT.matcher(text.strip().toUpperCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new InvalidSettingException("", option + " " + text + ": is no size such as 8, 512K, 32M or 8G");
    }
    int power = matcher.group(2) == null ? 0 : 10 + 10 * "KMG".indexOf(matcher.group(2));
    BigDecimal bytes = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(1L << power));
    if (bytes.compareTo(BigDecimal.valueOf(MOST)) > 0) {
      throw new InvalidSettingException("", option + " " + text + ": is more than 64 TiB");
    }
    return bytes.setScale(0, RoundingMode.DOWN).longValueExact();
  }
}
