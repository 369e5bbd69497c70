package dev.heddle.collectives.nccl.measured;

import com.google.common.collect.ImmutableList;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.text.ByteOrderMark;
import dev.heddle.text.TextFile;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The measurements of a file: output of nccl-tests 2.0 to 2.19 (of rccl-tests too) or its file in JSON, output of OSU
 * micro-benchmarks 5 to 7 or of perftest, or CSV with the columns {@code size_bytes} and {@code time_us} below lines
 * {@code # key: value}.
 *
 * @param calls tables of collectives
 * @param messages tables of messages between two hosts
 */
public record LogFile(List<CallLog> calls, List<MessageLog> messages) {
  private static final Pattern CSV = Pattern.compile("(^|,)\\s*(size_bytes|time_us)\\s*(,|$)");
  private static final Pattern PERFTEST = Pattern.compile("^#bytes\\s+#iterations|\\b(RDMA_|Send |Atomic_).* Test$");
  private static final Pattern OSU = Pattern.compile("^# OSU ");
  private static final Pattern NCCL_TESTS = Pattern.compile(
      "^# +nThread |^# Using devices|Collective test starting:|^#?\\s*size +count +type|"
          + "^\\d+\\s+\\d+\\s+(u?int|float|half|double|bfloat|f8e|fp8)\\w*\\s");

  /** Copies the lists. */
  public LogFile {
    calls = ImmutableList.copyOf(calls);
    messages = ImmutableList.copyOf(messages);
  }

  /** The name of a file without its folders, on any system. */
  public static String name(String file) {
    return file.substring(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
  }

  /**
   * Reads a file.
   *
   * @throws InvalidSettingException when the file has none of these formats or two, or a row is cut off or malformed;
   *     the message names file and line
   */
  public static LogFile read(Path path) {
    return of(path.toString(), TextFile.read(path, message -> new InvalidSettingException("", message)));
  }

  /** Reads the text of a file with a name for messages; see {@link #read}. */
  public static LogFile of(String file, String content) {
    String text = ByteOrderMark.skip(content);
    if (NcclTestsJson.isJson(text)) {
      return whole(file, new LogFile(NcclTestsJson.read(file, text), List.of()));
    }
    LogText log = LogText.of(file, text);
    if (log.contains(CSV)) {
      return new LogFile(List.of(CsvLog.read(log)), List.of());
    }
    boolean nccl = log.contains(NCCL_TESTS);
    boolean osu = log.contains(OSU);
    boolean perftest = log.contains(PERFTEST);
    LogText.require(nccl || osu || perftest, file, "is no output of nccl-tests, OSU micro-benchmarks or perftest, and"
        + " no CSV with the columns size_bytes and time_us");
    LogText.require((nccl ? 1 : 0) + (osu ? 1 : 0) + (perftest ? 1 : 0) == 1, file, "has output of "
        + (!perftest ? "nccl-tests and OSU" : !osu ? "nccl-tests and perftest" : "OSU and perftest")
        + " in one file; give each its own");
    LogFile found = nccl ? new LogFile(new NcclTestsLog(log).read(), List.of())
        : osu ? OsuLog.read(log) : new LogFile(List.of(), PerftestLog.read(log));
    return whole(file, found);
  }

  private static LogFile whole(String file, LogFile found) {
    LogText.require(!found.calls.isEmpty() || !found.messages.isEmpty(), file,
        "has the head of a benchmark but no rows; the run did not finish");
    return found;
  }
}
