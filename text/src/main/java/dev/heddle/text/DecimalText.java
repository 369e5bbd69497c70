package dev.heddle.text;

import java.util.regex.Pattern;

/** Numbers without a sign in files of other tools, such as {@code 50}, {@code 50.0} and {@code 5e1}. */
public final class DecimalText {
  private static final Pattern UNSIGNED = Pattern.compile("[0-9]+(\\.[0-9]*)?([eE][+-]?[0-9]+)?");

  private DecimalText() {}

  /** The value of a text; not a number where the text is none, or has a sign or a unit. */
  public static double unsigned(String text) {
    return UNSIGNED.matcher(text).matches() ? Double.parseDouble(text) : Double.NaN;
  }
}
