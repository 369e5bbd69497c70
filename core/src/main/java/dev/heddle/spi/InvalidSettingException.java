package dev.heddle.spi;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import java.util.function.UnaryOperator;

/**
 * Settings that are each in range but do not fit together; the scenario reader adds file and path. A command may print
 * its options in place of the settings that the message refers to.
 */
public final class InvalidSettingException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String component;
  private final String format;
  private final ImmutableList<String> settings;

  /**
   * Makes an exception.
   *
   * @param component the record component at fault, as declared (camel case); empty for the whole record
   * @param format the message: the value, and the allowed values; with {@code %s} for each setting that it refers to
   * @param settings keys or paths of these settings, in their order
   */
  public InvalidSettingException(String component, String format, String... settings) {
    super(Strings.lenientFormat(format, (Object[]) settings));
    this.component = component;
    this.format = format;
    this.settings = ImmutableList.copyOf(settings);
  }

  /** The record component at fault, as declared; empty for the whole record. */
  public String component() {
    return component;
  }

  /** The message with other names for the settings that it refers to. */
  public String message(UnaryOperator<String> names) {
    return Strings.lenientFormat(format, settings.stream().map(names).toArray());
  }
}
