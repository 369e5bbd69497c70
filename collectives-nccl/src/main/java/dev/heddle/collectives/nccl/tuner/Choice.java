package dev.heddle.collectives.nccl.tuner;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Locale;

/**
 * The tuner's choice for a call, with all candidates.
 *
 * @param call the call
 * @param best chosen candidate
 * @param candidates all, in NCCL's order
 */
public record Choice(Call call, Candidate best, List<Candidate> candidates) {
  /** Copies the list. */
  public Choice {
    candidates = ImmutableList.copyOf(candidates);
  }

  /** A table of all candidates of at most 80 columns, with a mark at the chosen one. */
  public String table() {
    StringBuilder text = new StringBuilder();
    line(text, "%s %-13s %-6s %9s %9s %12s %4s %4s", " ", "algorithm", "proto", "lat us", "GB/s", "time us", "ch",
        "thr");
    for (Candidate each : candidates) {
      String mark = each.equals(best) ? "*" : " ";
      if (each.excluded().isPresent()) {
        line(text, "%s %-13s %-6s - %s", mark, each.algorithm().title(), each.protocol().title(),
            each.excluded().get());
      } else {
        line(text, "%s %-13s %-6s %9.1f %9.1f %12.1f %4d %4d", mark, each.algorithm().title(),
            each.protocol().title(), each.latencyUs(), each.gigabytesPerSecond(), each.timeUs(),
            each.shape().channels(), each.shape().threads());
      }
    }
    return text.toString();
  }

  private static void line(StringBuilder text, String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values).stripTrailing()).append('\n');
  }
}
