package dev.heddle.cli.nccl;

import com.google.common.collect.ImmutableList;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.tuner.Call.Reduction;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.text.TextFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Times that a test of nccl-tests printed, out of place: its raw output, or a CSV file with the columns {@code
 * size_bytes} and {@code time_us} below lines {@code # gpus: 16}, {@code # nodes: 2} and {@code # collective:
 * all_reduce}.
 *
 * @param file name of the file
 * @param op operation
 * @param ranks GPUs
 * @param nodes hosts
 * @param gpusPerProcess GPUs that one process drove
 * @param reduction type of numbers, where the time depends on it
 * @param rows sizes and times
 */
record MeasuredLog(
    String file, CollectiveOp op, int ranks, int nodes, int gpusPerProcess, Reduction reduction, List<Row> rows) {
  private static final int RESULT_CELLS = 8;

  MeasuredLog {
    rows = ImmutableList.copyOf(rows);
  }

  /** One measured time, microseconds. */
  record Row(long bytes, double micros) {}

  /**
   * Reads a log.
   *
   * @throws InvalidSettingException when the file is no log of nccl-tests, or lacks the operation or the ranks
   */
  static MeasuredLog read(Path path) {
    String text = TextFile.read(path, message -> new InvalidSettingException("", message));
    return text.lines().anyMatch(line -> line.startsWith("size_bytes") || line.contains(",time_us"))
        ? csv(path.toString(), text) : raw(path.toString(), text);
  }

  private static MeasuredLog raw(String file, String text) {
    Set<String> hosts = new LinkedHashSet<>();
    Set<String> processes = new LinkedHashSet<>();
    int ranks = 0;
    String test = file;
    String type = "float";
    List<Row> rows = new ArrayList<>();
    for (String line : text.lines().map(String::strip).toList()) {
      String[] cells = line.split("\\s+");
      if (line.startsWith("#") && line.contains("Rank") && line.contains(" on ")) {
        ranks++;
        String host = line.substring(line.indexOf(" on ") + 4).strip().split("\\s+")[0];
        hosts.add(host);
        processes.add(host + " " + after(cells, "Pid"));
      } else if (line.contains("Collective test starting:")) {
        test = line.substring(line.indexOf(':') + 1).strip();
      } else if (cells.length > RESULT_CELLS + 2 && cells[0].matches("\\d+") && cells[1].matches("\\d+")) {
        type = cells[2];
        String time = cells[cells.length - RESULT_CELLS];
        long bytes = Long.parseLong(cells[0]);
        if (bytes > 0 && time.matches("[0-9.e+-]+") && Double.parseDouble(time) > 0) {
          rows.add(new Row(bytes, Double.parseDouble(time)));
        }
      }
    }
    require(!rows.isEmpty(), file + ": no rows of nccl-tests");
    require(ranks > 0, file + ": no lines '# Rank 0 ... on HOST device ...'; without them nobody knows the ranks");
    return new MeasuredLog(file, op(file, test), ranks, hosts.size(), Math.max(1, ranks / processes.size()),
        type.endsWith("int8") ? Reduction.OTHER : Reduction.COMMON, rows);
  }

  private static String after(String[] cells, String key) {
    int at = Arrays.asList(cells).indexOf(key);
    return at >= 0 && at + 1 < cells.length ? cells[at + 1] : "";
  }

  private static MeasuredLog csv(String file, String text) {
    Map<String, String> header = new LinkedHashMap<>();
    List<Row> rows = new ArrayList<>();
    int size = -1;
    int time = -1;
    for (String line : text.lines().toList()) {
      if (line.startsWith("#")) {
        String[] parts = line.substring(1).split(":", 2);
        header.putIfAbsent(parts[0].strip(), parts.length > 1 ? parts[1].strip() : "");
        continue;
      }
      List<String> cells = Arrays.stream(line.split(",", -1)).map(String::strip).toList();
      if (size < 0 && !line.isBlank()) {
        size = cells.indexOf("size_bytes");
        time = cells.indexOf("time_us");
        require(size >= 0 && time >= 0, file + ": the columns size_bytes and time_us are needed");
      } else if (!line.isBlank()) {
        rows.add(new Row(Long.parseLong(cells.get(size)), Double.parseDouble(cells.get(time))));
      }
    }
    require(!rows.isEmpty(), file + ": no rows");
    require(header.containsKey("gpus") && header.containsKey("collective"),
        file + ": lines '# gpus: N' and '# collective: OP' are needed");
    int nodes = Integer.parseInt(header.getOrDefault("nodes", "1").split(" ")[0]);
    return new MeasuredLog(file, op(file, header.get("collective")), Integer.parseInt(header.get("gpus").split(" ")[0]),
        nodes, 1, Reduction.COMMON, rows);
  }

  private static CollectiveOp op(String file, String text) {
    String plain = text.toLowerCase(Locale.ROOT).replace("_", "").replace("-", "");
    for (CollectiveOp op : CollectiveOp.values()) {
      if (plain.contains(op.key().replace("_", ""))) {
        return plain.contains("sendrecv") ? CollectiveOp.SEND_RECV : op;
      }
    }
    if (plain.contains("alltoall")) {
      return CollectiveOp.ALL_TO_ALL;
    }
    throw new InvalidSettingException("",
        file + ": neither '# Collective test starting: all_reduce_perf' nor the file's"
            + " name says the operation; rename it, such as all_reduce_perf.log");
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new InvalidSettingException("", message);
    }
  }
}
