package dev.heddle.verification;

import dev.heddle.collectives.nccl.measured.CallLog;
import dev.heddle.collectives.nccl.measured.LogFacts;
import dev.heddle.collectives.nccl.measured.LogFile;
import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The logs of a folder without {@code systems.yaml}, each with the cluster that it states: by a line
 * {@code # cluster:}, by a file {@code cluster.yaml} beside it, or by the name of its GPUs.
 */
final class LoggedTables {
  private static final String CLUSTER_FILE = "cluster.yaml";
  private static final List<String> ENDINGS = List.of(".log", ".txt", ".out", ".csv", ".json");
  private static final int GPUS_OF_A_HOST = 8;
  /** GPUs of a rack that is one node here; logs count its trays. */
  private static final int RACK = 72;
  /** Platforms by the names that drivers and clouds print, each with the network of its maker's reference. */
  private static final List<Platform> PLATFORMS = List.of(
      cloud("p4de", "a100-aws-p4de"), cloud("p4d\\b", "a100-aws-p4d"), cloud("p5\\.48xlarge", "h100-aws-p5"),
      cloud("A3 High", "h100-gcp-a3high"), cloud("A3 Mega", "h100-gcp-a3mega"), cloud("A3 Ultra", "h200-gcp-a3ultra"),
      rack("GB200", "gb200-nvl72"), rack("GB300", "gb300-nvl72"),
      platform("B300", "hgx-b300", 8, 800), platform("B200", "hgx-b200", 8, 400), platform("H200", "hgx-h200", 8, 400),
      platform("H20\\b", "hgx-h20", 8, 400), platform("H100(?!.*(PCI[Ee]|NVL))", "hgx-h100", 8, 400),
      platform("A100(?!.*PCI[Ee]).*(SXM|[48]0GB)", "dgx-a100", 8, 200), platform("V100.*SXM", "dgx-1v", 4, 100));
  private static final Pattern PER_NODE = Pattern.compile("\\b(\\d+) per node");

  private LoggedTables() {}

  private static Platform cloud(String name, String preset) {
    return platform(name, preset, 0, 0);
  }

  private static Platform rack(String gpu, String preset) {
    return new Platform(Pattern.compile("\\b" + gpu), preset, RACK, 0, 0);
  }

  private static Platform platform(String gpu, String preset, int nics, int gigabits) {
    return new Platform(Pattern.compile("\\b" + gpu), preset, GPUS_OF_A_HOST, nics, gigabits);
  }

  /**
   * A kind of node with its network.
   *
   * @param gpu its name
   * @param preset the cluster
   * @param gpus of a node
   * @param nics InfiniBand ports of a node; 0 where a log's statement of them tells nothing more
   * @param gigabits rate of one
   */
  private record Platform(Pattern gpu, String preset, int gpus, int nics, int gigabits) {
    /** The place on nodes of the platform of ranks that a log places on hosts. */
    CallLog.Place place(CallLog.Place stated) {
      return gpus <= GPUS_OF_A_HOST ? stated
          : new CallLog.Place(stated.ranks(), (stated.ranks() + gpus - 1) / gpus, stated.gpusPerProcess());
    }

    /** The part of a log's statements that is not of this platform; empty where all are. */
    String contradiction(CallLog log) {
      if (nics == 0) {
        return "";
      }
      Matcher perNode = PER_NODE.matcher(log.facts().gpu().orElse(""));
      if (perNode.find() && !perNode.group(1).equals(Integer.toString(gpus))) {
        return "has " + gpus + " GPUs a node, not " + perNode.group(1);
      }
      String stated = log.facts().nics().orElse("");
      boolean network = !stated.isEmpty() && log.place().filter(each -> each.nodes() > 1).isPresent();
      boolean same = stated.contains("InfiniBand")
          && (stated.startsWith(nics + " x " + gigabits + " Gb/s") || stated.startsWith(gigabits + " Gb/s per GPU"));
      return network && !same
          ? "has " + nics + " x " + gigabits + " Gb/s InfiniBand a node, not '" + stated + "'" : "";
    }
  }

  /**
   * A log with its cluster.
   *
   * @param log with its ranks
   * @param cluster a preset or a file
   * @param place of the ranks on the cluster's nodes
   * @param source of the numbers
   */
  record Placed(CallLog log, String cluster, CallLog.Place place, String source) {}

  /**
   * The logs of a folder, in the order of their names.
   *
   * @param refusedFiles takes logs that state too little
   * @throws InvalidSettingException when there are no files
   */
  static List<Placed> read(DataFolder folder, RefusedTables refusedFiles) {
    List<String> names = ENDINGS.stream().flatMap(ending -> folder.names(ending).stream()).distinct().sorted().toList();
    if (names.isEmpty()) {
      throw new InvalidSettingException("", folder.label("") + ": has neither systems.yaml nor logs named "
          + String.join(", ", ENDINGS.stream().map(ending -> "*" + ending).toList()));
    }
    List<Placed> placed = new ArrayList<>();
    for (String name : names) {
      refusedFiles.read(() -> {
        String text = folder.text(name);
        for (CallLog log : isList(text) ? List.<CallLog>of() : LogFile.of(folder.label(name), text).calls()) {
          placed.add(placed(folder, log));
        }
      });
    }
    return List.copyOf(placed);
  }

  /** Whether a text is a list of calls on several machines, as AIConfigurator has them. */
  static boolean isList(String text) {
    return text.lines().filter(line -> !line.startsWith("#")).findFirst()
        .filter(titles -> List.of(titles.split(",")).containsAll(List.of("system", "nccl", "op", "gpus", "ms")))
        .isPresent();
  }

  /** The preset of the platform of a GPU's name; empty where it has none of its own. */
  static Optional<String> preset(String gpu) {
    return platform(gpu).map(Platform::preset);
  }

  private static Optional<Platform> platform(String gpu) {
    return PLATFORMS.stream().filter(each -> each.gpu().matcher(gpu).find()).findFirst();
  }

  private static Placed placed(DataFolder folder, CallLog log) {
    LogFacts facts = log.facts();
    CallLog.Place place = log.place().orElseThrow(
        () -> new InvalidSettingException("", log.file() + ": states no ranks; add lines such as '# gpus: 16' and"
            + " '# nodes: 2' above its rows"));
    String source = facts.source().orElse(log.file());
    if (facts.cluster().isPresent()) {
      return new Placed(log, facts.cluster().get(), place, source);
    }
    if (folder.file(CLUSTER_FILE).isPresent()) {
      return new Placed(log, CLUSTER_FILE, place, source);
    }
    String gpu = facts.gpu().orElse("");
    String remedy = "; add a line '# cluster: PRESET' or a file " + CLUSTER_FILE + " beside it";
    Platform platform = platform(gpu).orElseThrow(() -> new InvalidSettingException("", log.file() + ": "
        + (gpu.isEmpty() ? "names no GPUs" : "its GPUs '" + gpu + "' have no platform of their own") + remedy));
    String contradiction = platform.contradiction(log);
    if (!contradiction.isEmpty()) {
      throw new InvalidSettingException("",
          log.file() + ": " + platform.preset() + ", the platform of its GPUs, " + contradiction + remedy);
    }
    return new Placed(log, platform.preset(), platform.place(place),
        String.format(Locale.ROOT, "%s, on %s as its GPUs are %s", source, platform.preset(), gpu));
  }
}
