package dev.heddle.scenario;

import dev.heddle.fabric.Fabric;
import dev.heddle.scenario.Node.Origin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Switch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Traffic classes that workloads and the transport protocol of a scenario state, whatever plug-ins they are of. */
final class TrafficClasses {
  /** The key of {@link Own#trafficClass}. */
  static final String KEY = "traffic-class";

  /** The key of {@link OfControl#controlClass}. */
  static final String CONTROL_KEY = "control-class";

  /** The path of the transport's class, which applies to messages of workloads that state none. */
  static final String OF_TRANSPORT = "transport." + KEY;

  private final List<Stated> stated = new ArrayList<>();

  /**
   * The setting that all workloads and transport protocols have besides their own.
   *
   * @param trafficClass of messages between nodes
   */
  record Own(
      @Setting(value = "traffic class of the messages between nodes", min = "0",
          max = "7") Optional<Integer> trafficClass) {}

  /**
   * The setting that all transport protocols have besides their own.
   *
   * @param controlClass of packets without payload
   */
  record OfControl(
      @Setting(value = "traffic class of acknowledgements, notifications, grants of credit and trimmed headers; without"
          + " it, they go before all classes, packet fidelity only", min = "0",
          max = "7") Optional<Integer> controlClass) {}

  /**
   * A class and the place where it is stated.
   *
   * @param number 0 to 7
   * @param path of the value
   * @param origin of the value
   * @param onSwitches whether switches without classes and links without virtual channels for it are wrong; not so for
   *     a plug-in's own setting, which applies within nodes as well, where classes are kinds of requests
   */
  private record Stated(int number, String path, Origin origin, boolean onSwitches) {}

  void add(int number, String path, Origin origin, boolean onSwitches) {
    stated.add(new Stated(number, path, origin, onSwitches));
  }

  /** The class that the transport protocol states. */
  Optional<Integer> ofTransport() {
    return stated.stream().filter(each -> each.path().equals(OF_TRANSPORT)).map(Stated::number).findFirst();
  }

  /** The problems of classes that a link between nodes does not tell apart; none where all are 0. */
  List<Problem> problems(Fabric fabric) {
    if (stated.stream().allMatch(each -> each.number() == 0)) {
      return List.of();
    }
    boolean apart = IntStream.range(0, fabric.devices()).anyMatch(device -> ofSwitch(fabric, device) > 1);
    int least = Integer.MAX_VALUE;
    int at = 0;
    for (int link = 0; link < fabric.links(); link++) {
      if ((fabric.tiers().size() == 1 || fabric.linkTier(link) > 0) && classes(fabric, link, apart) < least) {
        least = classes(fabric, link, apart);
        at = link;
      }
    }
    List<Problem> problems = new ArrayList<>();
    for (Stated each : stated) {
      if (each.number() >= least && (each.onSwitches() || apart)) {
        problems.add(new Problem(
            each.origin().file(), each.origin().line(), each.path(), "'" + each.number() + "' is not allowed; "
                + fabric.linkName(at) + (least == 1
                    ? " has one class, 0; state 'classes' of all switches of type ethernet between nodes"
                    : " has classes 0 to " + (least - 1) + "; add it to the 'classes' of its switch")));
      }
    }
    return problems;
  }

  // The least of the switches at its ends; where no switch has classes, the link's sets of virtual channels.
  private static int classes(Fabric fabric, int link, boolean apart) {
    if (!apart) {
      return Math.max(1, fabric.linkModel(link).credits().size() / Math.max(1, fabric.channelsPerClass(link)));
    }
    int source = ofSwitch(fabric, fabric.linkSource(link));
    int target = ofSwitch(fabric, fabric.linkTarget(link));
    return source == 0 || target == 0 ? Math.max(1, Math.max(source, target)) : Math.min(source, target);
  }

  // The classes of a switch; 0 for a terminal.
  private static int ofSwitch(Fabric fabric, int device) {
    Switch model = fabric.bridges(device) ? null : fabric.forwarding(device);
    return model == null ? 0 : Math.max(1, model.queuePolicy().weights().size());
  }
}
