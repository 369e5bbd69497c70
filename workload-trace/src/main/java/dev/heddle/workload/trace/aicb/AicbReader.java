package dev.heddle.workload.trace.aicb;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.text.LineReader;
import dev.heddle.workload.trace.graph.Messages;
import dev.heddle.workload.trace.graph.OperationGraph;
import dev.heddle.workload.trace.graph.TraceException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Reads a workload: a line of keys, the number of layers, and a line of twelve columns for each. */
final class AicbReader {
  private static final List<String> POLICIES = List.of("HYBRID_TRANSFORMER_FWD_IN_BCKWD", "HYBRID_TRANSFORMER");
  // Collectives of all ranks alone: those of the weights, without computation.
  private static final String MICRO = "MICRO";
  private static final List<CollectiveOp> OPS = List.of(
      CollectiveOp.ALL_REDUCE, CollectiveOp.ALL_GATHER, CollectiveOp.REDUCE_SCATTER, CollectiveOp.ALL_TO_ALL,
      CollectiveOp.BROADCAST);
  private static final String NONE = "NONE";
  private static final int COLUMNS = 12;
  private static final int MOST_LAYERS = 1_000_000;
  private static final long MOST_NANOSECONDS = OperationGraph.MOST_PS / 1000;

  private final LineReader lines;
  private boolean micro;

  /**
   * Reads from a stream.
   *
   * @param file its name, for messages
   * @param in its bytes; the caller closes it
   */
  AicbReader(String file, InputStream in) {
    lines = new LineReader(file, in, TraceException::new);
  }

  AicbFile read() {
    if (!lines.next()) {
      throw lines.fail("is empty; a workload begins with " + POLICIES.get(0));
    }
    Map<String, List<String>> header = header();
    int tensor = micro ? 1 : (int) degree(header, "model_parallel_NPU_group", 0, 1);
    int expert = micro ? 1 : (int) degree(header, "ep", 1, 1);
    int pipeline = micro ? 1 : (int) degree(header, "pp", 1, 1);
    int ranks = (int) degree(header, "all_gpus", 1, 0);
    if (degree(header, "checkpoints", 0, 0) > 0) {
      throw lines.fail("has checkpoints, layers that are computed again, which are not supported");
    }
    if (!lines.next()) {
      throw lines.fail("here must be the number of layers, but the file ends");
    }
    String[] count = words();
    if (count.length != 1) {
      throw lines.fail("here must be the number of layers alone");
    }
    int layers = (int) lines.number("the number of layers", count[0], 1, MOST_LAYERS);
    return new AicbFile(tensor, expert, pipeline, ranks, layers(layers));
  }

  // Keys end with a colon and stand before their values, of which checkpoints may have several.
  private Map<String, List<String>> header() {
    String[] words = words();
    micro = words.length > 0 && words[0].equals(MICRO);
    if (words.length == 0 || !micro && !POLICIES.contains(words[0])) {
      throw lines.fail("the first word is '" + LineReader.shown(words.length == 0 ? "" : words[0]) + "'; it must be "
          + String.join(", ", POLICIES) + " or " + MICRO);
    }
    Map<String, List<String>> header = new LinkedHashMap<>();
    List<String> values = new ArrayList<>();
    for (int i = 1; i < words.length; i++) {
      if (words[i].endsWith(":")) {
        values = new ArrayList<>();
        header.put(words[i].substring(0, words[i].length() - 1), values);
      } else {
        values.add(words[i]);
      }
    }
    return header;
  }

  private long degree(Map<String, List<String>> header, String key, long least, long otherwise) {
    List<String> values = header.get(key);
    if (values == null) {
      return otherwise;
    }
    if (values.isEmpty()) {
      throw lines.fail(key + " has no value");
    }
    return lines.number(key, values.get(0), least, Messages.MOST_RANKS);
  }

  private List<Layer> layers(int count) {
    List<Layer> layers = new ArrayList<>();
    while (lines.next()) {
      String[] columns = words();
      if (columns.length == 0) {
        continue;
      }
      if (layers.size() == count) {
        throw lines.fail("here must be the end of the file, as it has " + count + " layers by its second line");
      }
      if (columns.length != COLUMNS) {
        throw lines.fail("a layer has " + COLUMNS + " columns, but here are " + columns.length);
      }
      layers.add(micro ? micro(columns) : new Layer(
          pass(columns, 2, GroupKind.TENSOR), pass(columns, 5, GroupKind.TENSOR), pass(columns, 8, GroupKind.DATA),
          1000 * lines.number("the delay", columns[COLUMNS - 1], 0, MOST_NANOSECONDS)));
    }
    if (layers.size() < count) {
      throw lines.fail("the file ends after " + layers.size() + " of " + count + " layers");
    }
    return layers;
  }

  private Layer micro(String[] columns) {
    Layer.Pass nothing = new Layer.Pass(0, Optional.empty());
    return new Layer(new Layer.Pass(0, pass(columns, 8, GroupKind.DATA).call()), nothing, nothing, 0);
  }

  private Layer.Pass pass(String[] columns, int at, GroupKind otherwise) {
    long ps = 1000 * lines.number("the time in nanoseconds", columns[at], 0, MOST_NANOSECONDS);
    long bytes = lines.number("the size in bytes", columns[at + 2], 0, OperationGraph.MOST_BYTES);
    Optional<Layer.Call> call = call(columns[at + 1], bytes, otherwise);
    return new Layer.Pass(ps, bytes == 0 ? Optional.empty() : call);
  }

  private Optional<Layer.Call> call(String word, long bytes, GroupKind otherwise) {
    if (word.equals(NONE)) {
      return Optional.empty();
    }
    for (CollectiveOp op : OPS) {
      String name = op.key().replace("_", "").toUpperCase(Locale.ROOT);
      if (word.startsWith(name)) {
        switch (word.substring(name.length())) {
          case "" :
            return Optional.of(new Layer.Call(op, otherwise, bytes));
          case "_EP" :
            return Optional.of(new Layer.Call(op, GroupKind.EXPERT, bytes));
          case "_DP_EP" :
            return Optional.of(new Layer.Call(op, GroupKind.EXPERT_DATA, bytes));
          default :
            break;
        }
      }
    }
    throw lines.fail("'" + LineReader.shown(word) + "' is no collective; there are NONE, ALLREDUCE, ALLGATHER,"
        + " REDUCESCATTER, ALLTOALL and BROADCAST, each but the first also with _EP or _DP_EP");
  }

  private String[] words() {
    String text = lines.text().strip();
    return text.isEmpty() ? new String[0] : text.split("\\s+");
  }
}
