package dev.heddle.collectives.nccl;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A version of NCCL between 2.8 and 2.30, the versions whose constants are known. */
public record NcclVersion(int minor, int patch) implements Comparable<NcclVersion> {
  private static final int OLDEST_MINOR = 8;
  private static final int NEWEST_MINOR = 30;

  /** The newest version that is modelled; the default. */
  public static final NcclVersion LATEST = new NcclVersion(NEWEST_MINOR, 7);

  private static final Pattern TEXT = Pattern.compile("2\\.(\\d{1,3})(?:\\.(\\d{1,3}))?");

  /**
   * Checks the range.
   *
   * @throws IllegalArgumentException when the version is not modelled
   */
  public NcclVersion {
    if (minor < OLDEST_MINOR || minor > NEWEST_MINOR || patch < 0) {
      throw new IllegalArgumentException(
          "NCCL 2." + minor + "." + patch + " is not modelled, only 2." + OLDEST_MINOR + " to 2." + NEWEST_MINOR);
    }
  }

  /**
   * Reads a version such as {@code 2.21} or {@code 2.29.2}.
   *
   * @throws IllegalArgumentException when the text is no version, or the version is not modelled
   */
  public static NcclVersion parse(String text) {
    Matcher matcher = TEXT.matcher(text.strip());
    if (!matcher.matches()) {
      throw new IllegalArgumentException("'" + text + "' is no version of NCCL such as 2.29.2");
    }
    String patch = matcher.group(2);
    return new NcclVersion(Integer.parseInt(matcher.group(1)), patch == null ? 0 : Integer.parseInt(patch));
  }

  /** Whether this is 2.{@code otherMinor} or newer. */
  public boolean since(int otherMinor) {
    return minor >= otherMinor;
  }

  @Override
  public int compareTo(NcclVersion other) {
    return minor != other.minor ? Integer.compare(minor, other.minor) : Integer.compare(patch, other.patch);
  }

  @Override
  public String toString() {
    return "2." + minor + "." + patch;
  }
}
