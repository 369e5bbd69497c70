package dev.heddle.collectives.nccl.measured;

import com.google.common.collect.ImmutableMap;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.InvalidSettingException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Names of operations in logs. */
final class Operations {
  private static final Pattern PROGRAM = Pattern.compile(
      "\\b(all_reduce|all_gather|reduce_scatter|broadcast|reduce|alltoall|sendrecv|gather|scatter)_perf\\b");
  // Longer names first, as the shorter ones are parts of them.
  private static final Pattern NAME = Pattern.compile("allreduce|allgather|reducescatter|alltoall|sendrecv|broadcast|"
      + "bcast|scatter|gather|reduce");
  private static final ImmutableMap<String, CollectiveOp> OPS = ImmutableMap.of(
      "allreduce", CollectiveOp.ALL_REDUCE, "allgather", CollectiveOp.ALL_GATHER,
      "reducescatter", CollectiveOp.REDUCE_SCATTER, "alltoall", CollectiveOp.ALL_TO_ALL,
      "sendrecv", CollectiveOp.SEND_RECV, "broadcast", CollectiveOp.BROADCAST, "bcast", CollectiveOp.BROADCAST,
      "scatter", CollectiveOp.SCATTER, "gather", CollectiveOp.GATHER, "reduce", CollectiveOp.REDUCE);

  private Operations() {}

  /** The operation of a program of nccl-tests that a line names. */
  static Optional<CollectiveOp> program(String line) {
    Matcher matcher = PROGRAM.matcher(line);
    return matcher.find() ? named(matcher.group(1)) : Optional.empty();
  }

  /** The operation that a name contains, with or without underscores. */
  static Optional<CollectiveOp> named(String name) {
    String plain = name.toLowerCase(Locale.ROOT).replaceAll("[_\\s-]", "").replace("alltoallv", "")
        .replace("alltoallw", "");
    Matcher matcher = NAME.matcher(plain);
    return matcher.find() ? Optional.ofNullable(OPS.get(matcher.group())) : Optional.empty();
  }

  /** The operation of a key in the header of a CSV file. */
  static CollectiveOp key(String place, String text) {
    return named(text).filter(op -> text.replaceAll("[_\\s-]", "").length() <= "reducescatter".length())
        .filter(op -> plain(text).equals(plain(op.key())) || plain(text).equals("bcast"))
        .orElseThrow(() -> new InvalidSettingException("", place + ": collective '" + text + "' is not known; there"
            + " are all_reduce, all_gather, reduce_scatter, broadcast, reduce, alltoall, sendrecv, gather, scatter"));
  }

  private static String plain(String text) {
    return text.toLowerCase(Locale.ROOT).replaceAll("[_\\s-]", "");
  }
}
