package dev.heddle.verification;

import dev.heddle.scenario.ScenarioException;
import dev.heddle.spi.InvalidSettingException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Tables of a folder that cannot be read. In a user's folder each is named and the others go on; a shipped one ends the
 * suite.
 */
final class RefusedTables {
  private static final String REFUSED = "Refused: ";

  private final boolean ofTheUser;
  private final List<RuntimeException> refused = new ArrayList<>();
  private final List<String> leftOut = new ArrayList<>();

  RefusedTables(Optional<Path> data) {
    ofTheUser = data.isPresent();
  }

  /**
   * Reads a table.
   *
   * @param table fails with an {@link InvalidSettingException} or a {@link ScenarioException} where it cannot be read
   */
  void read(Runnable table) {
    try {
      table.run();
    } catch (InvalidSettingException | ScenarioException e) {
      if (!ofTheUser) {
        throw e;
      }
      refused.add(e);
    }
  }

  /** Takes note of a part of a table that is left out. */
  void leave(String reason) {
    leftOut.add(refusal(reason));
  }

  /**
   * The end of a suite that read nothing: the reason of the first table that was refused.
   *
   * @param otherwise the reason where there was no table at all
   */
  RuntimeException nothingRead(String otherwise) {
    return refused.isEmpty() ? new InvalidSettingException("", otherwise) : refused.get(0);
  }

  /** A note for each table, and each part of one, that was refused. */
  List<String> notes() {
    return Stream.concat(
        refused.stream().map(reason -> refusal(String.valueOf(reason.getMessage()))), leftOut.stream()).toList();
  }

  /** The note of something that was refused. */
  static String refusal(String reason) {
    return REFUSED + reason;
  }
}
