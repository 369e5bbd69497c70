package dev.heddle.batch;

import dev.heddle.spi.InvalidSettingException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Calls of a batch system's own programs. */
final class ExternalCommand {
  private ExternalCommand() {}

  /**
   * The end of a program.
   *
   * @param exitCode as it ended
   * @param output standard output and error
   */
  record Answer(int exitCode, String output) {}

  /**
   * Runs a program to its end.
   *
   * @param command to run, found on the path
   * @param input for its standard input
   * @throws InvalidSettingException when it is not installed
   */
  static Answer call(List<String> command, String input) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      try (OutputStream out = process.getOutputStream()) {
        out.write(input.getBytes(StandardCharsets.UTF_8));
      } catch (IOException e) {
        // A program that ends without reading says why on its output.
        return answer(process);
      }
      return answer(process);
    } catch (IOException e) {
      throw new InvalidSettingException("",
          command.get(0) + " is not installed here, or not on the path (" + e.getMessage() + ")");
    }
  }

  private static Answer answer(Process process) throws IOException {
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    try {
      return new Answer(process.waitFor(), output);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while a program was running", e);
    }
  }

  /**
   * Runs a program that must succeed.
   *
   * @return its output
   * @throws InvalidSettingException when it fails; with its message
   */
  static String require(List<String> command, String input) {
    Answer answer = call(command, input);
    if (answer.exitCode() != 0) {
      throw new InvalidSettingException(
          "", command.get(0) + " failed with exit code " + answer.exitCode() + ": " + answer.output());
    }
    return answer.output();
  }
}
