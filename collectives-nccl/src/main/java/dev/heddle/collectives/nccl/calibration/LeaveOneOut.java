package dev.heddle.collectives.nccl.calibration;

import dev.heddle.collectives.nccl.timing.GpuTiming;
import dev.heddle.collectives.nccl.timing.NetworkTiming;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Constants for each machine from the tables of all others. The machine's generations and networks are fitted again
 * without it, from the priors, which were not fitted to any table and stay where no other machine has such tables. A
 * fit that began at that of all tables would keep a part of what the machine's own have told.
 */
public final class LeaveOneOut {
  private LeaveOneOut() {}

  /**
   * The constants for each machine.
   *
   * @param tables of all machines
   * @param all constants fitted to all tables
   * @param priors constants before any fit
   */
  public static Map<String, ConstantSet> of(List<MeasuredTable> tables, ConstantSet all, ConstantSet priors) {
    Map<String, ConstantSet> found = new LinkedHashMap<>();
    for (String machine : names(tables)) {
      found.put(machine, without(machine, tables, all, priors));
    }
    return found;
  }

  private static Set<String> names(List<MeasuredTable> tables) {
    return tables.stream().map(MeasuredTable::machine).collect(Collectors.toCollection(TreeSet::new));
  }

  /** The constants for one machine. */
  public static ConstantSet without(String machine, List<MeasuredTable> tables, ConstantSet all, ConstantSet priors) {
    List<MeasuredTable> own = tables.stream().filter(table -> table.machine().equals(machine)).toList();
    List<MeasuredTable> others = tables.stream().filter(table -> !table.machine().equals(machine)).toList();
    Map<String, GpuTiming> gpus = new LinkedHashMap<>(all.gpus());
    Map<String, NetworkTiming> networks = new LinkedHashMap<>(all.networks());
    Set<String> generations = new TreeSet<>();
    Set<String> nets = new TreeSet<>();
    for (MeasuredTable table : own) {
      gpus.put(table.generation(), priors.gpus().get(table.generation()));
      networks.put(table.network(), priors.networks().get(table.network()));
      if (others.stream().anyMatch(other -> other.generation().equals(table.generation()))) {
        generations.add(table.generation());
      }
      if (others.stream().anyMatch(other -> other.network().equals(table.network()))) {
        nets.add(table.network());
      }
    }
    nets.remove("");
    networks.remove("");
    ConstantSet known = all.withoutMachine(machine);
    ConstantSet start = new ConstantSet(gpus, networks, known.launchMicros(), known.efficiencies());
    return new Calibration(others.stream()
        .filter(table -> generations.contains(table.generation()) || nets.contains(table.network())).toList())
        .fit(start, Calibration.ROUNDS, generations, nets);
  }
}
