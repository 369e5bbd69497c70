package dev.heddle.verification;

import dev.heddle.collectives.nccl.measured.CallLog;
import dev.heddle.collectives.nccl.measured.LogFacts;
import dev.heddle.collectives.nccl.measured.LogFile;
import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The logs of a folder without {@code systems.yaml}, each with the cluster that it states: by a line
 * {@code # cluster:}, by a file {@code cluster.yaml} beside it, or by the name of its GPUs.
 */
final class LoggedTables {
  private static final String CLUSTER_FILE = "cluster.yaml";
  private static final List<String> ENDINGS = List.of(".log", ".txt", ".out", ".csv", ".json");
  /** Platforms by the names that drivers print, each with the network of its maker's reference architecture. */
  private static final List<Map.Entry<Pattern, String>> PLATFORMS = List.of(
      platform("GB200", "gb200-nvl72"), platform("GB300", "gb300-nvl72"), platform("B300", "hgx-b300"),
      platform("B200", "hgx-b200"), platform("H200", "hgx-h200"), platform("H20\\b", "hgx-h20"),
      platform("H100(?!.*(PCIe|NVL))", "hgx-h100"), platform("A100.*SXM", "dgx-a100"), platform("V100.*SXM", "dgx-1v"));

  private LoggedTables() {}

  private static Map.Entry<Pattern, String> platform(String gpu, String preset) {
    return Map.entry(Pattern.compile("\\b" + gpu), preset);
  }

  /** A log with its cluster. */
  record Placed(CallLog log, String cluster, String source) {}

  /**
   * The logs of a folder, in the order of their names.
   *
   * @throws InvalidSettingException when there are none, or one states too little
   */
  static List<Placed> read(DataFolder folder) {
    List<String> names = ENDINGS.stream().flatMap(ending -> folder.names(ending).stream()).distinct().sorted().toList();
    if (names.isEmpty()) {
      throw new InvalidSettingException("", folder.label("") + ": has neither systems.yaml nor logs named "
          + String.join(", ", ENDINGS.stream().map(ending -> "*" + ending).toList()));
    }
    List<Placed> placed = new ArrayList<>();
    for (String name : names) {
      LogFile file = LogFile.of(folder.label(name), folder.text(name));
      for (CallLog log : file.calls()) {
        placed.add(placed(folder, log));
      }
    }
    if (placed.isEmpty()) {
      throw new InvalidSettingException("", folder.label("") + ": has messages between hosts, no collectives of NCCL");
    }
    return List.copyOf(placed);
  }

  private static Placed placed(DataFolder folder, CallLog log) {
    LogFacts facts = log.facts();
    if (log.place().isEmpty()) {
      throw new InvalidSettingException("", log.file() + ": states no ranks; add lines such as '# gpus: 16' and"
          + " '# nodes: 2' above its rows");
    }
    String source = facts.source().orElse(log.file());
    if (facts.cluster().isPresent()) {
      return new Placed(log, facts.cluster().get(), source);
    }
    if (folder.file(CLUSTER_FILE).isPresent()) {
      return new Placed(log, CLUSTER_FILE, source);
    }
    String gpu = facts.gpu().orElse("");
    Optional<String> platform = PLATFORMS.stream().filter(each -> each.getKey().matcher(gpu).find())
        .map(Map.Entry::getValue).findFirst();
    return new Placed(log, platform.orElseThrow(() -> new InvalidSettingException("", log.file() + ": "
        + (gpu.isEmpty() ? "names no GPUs" : "its GPUs '" + gpu + "' have no platform of their own")
        + "; add a line '# cluster: PRESET' or a file " + CLUSTER_FILE + " beside it")),
        String.format(Locale.ROOT, "%s, on %s as its GPUs are %s", source, platform.orElse(""), gpu));
  }
}
