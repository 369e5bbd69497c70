package dev.heddle.workload.megatron.job;

import dev.heddle.spi.InvalidSettingException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Layers of each virtual pipeline stage, by a string as Megatron-Core's {@code pipeline_model_parallel_layout}: fields
 * separated by {@code |}, of {@code E} embedding, {@code t} transformer layer, {@code m} multi-token prediction and
 * {@code L} loss; {@code *n} repeats the letter or the parenthesis before it. Field {@code i} is chunk {@code i div p}
 * of stage {@code i mod p}.
 */
final class PipelineLayout {
  private static final Pattern REPEATED_GROUP = Pattern.compile("\\(([^()]*)\\)(?:\\*(\\d{1,4}))?");
  private static final Pattern REPEATED_LETTER = Pattern.compile("([EtmL|])\\*(\\d{1,4})");

  private PipelineLayout() {}

  /**
   * Transformer layers of each virtual stage.
   *
   * @throws InvalidSettingException when the string is malformed, or its layers or stages differ from the job's
   */
  static int[] layers(String layout, int layers, int virtualStages) {
    String plain = expand(layout);
    if (!plain.matches("E?[tm|]*(E?[tm|]*)L?")) {
      throw refuse(layout, "must begin with E, end with L, and hold t, m and | between them");
    }
    String[] fields = plain.replaceAll("\\|$", "").split("\\|", -1);
    int[] counts = new int[fields.length];
    int sum = 0;
    for (int i = 0; i < fields.length; i++) {
      counts[i] = (int) fields[i].chars().filter(letter -> letter == 't').count();
      sum += counts[i];
    }
    if (fields.length != virtualStages || sum != layers) {
      throw refuse(layout, "has " + fields.length + " fields with " + sum + " layers; the job has " + virtualStages
          + " stages times chunks and " + layers + " layers");
    }
    return counts;
  }

  private static String expand(String layout) {
    String text = layout.replaceAll("[\\s,]", "");
    for (Pattern pattern : new Pattern[] {REPEATED_LETTER, REPEATED_GROUP, REPEATED_LETTER}) {
      text = pattern.matcher(text).replaceAll(
          match -> Matcher.quoteReplacement(match.group(1).repeat(match.group(2) == null
              ? 1 : Integer.parseInt(match.group(2)))));
    }
    return text;
  }

  private static InvalidSettingException refuse(String layout, String reason) {
    return new InvalidSettingException("parallel.layout", "'" + layout + "' " + reason);
  }
}
