package dev.heddle.cli.hpl;

import dev.heddle.fabric.Fabric;
import dev.heddle.hpl.HplCase;
import dev.heddle.hpl.HplInput;
import dev.heddle.hpl.HplSystem;
import dev.heddle.hpl.ProcessGrid;
import dev.heddle.hpl.run.KernelSettings;
import dev.heddle.network.NetworkModel;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.units.DataSize;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A machine, and the model of HPL's time on it.
 *
 * @param closedForm of the time; empty for that of a run on the network
 * @param network fidelity of runs on the network
 * @param system the machine as closed forms see it
 * @param fabric the machine's links, where they are known
 * @param kernels compute times of an accelerator
 * @param placement of the matrix
 */
record Machine(
    Optional<ClosedForm> closedForm, NetworkModel network, HplSystem system, Optional<Fabric> fabric,
    KernelSettings kernels, Placement placement) {
  /**
   * The placement of the matrix.
   *
   * @param nodeGrid part of the process grid that a node holds, where the user sets it
   * @param memory of a process that the matrix may take, where the user sets it
   */
  record Placement(Optional<ProcessGrid> nodeGrid, Optional<DataSize> memory) {}

  int processes() {
    return Math.multiplyExact(system.nodes(), system.devicesPerNode());
  }

  private Optional<DataSize> memory() {
    return placement.memory().or(() -> fabric
        .flatMap(each -> each.accelerator(each.terminals(DeviceKind.ACCELERATOR)[0])).map(Accelerator::memory));
  }

  /**
   * Checks all runs before the first.
   *
   * @throws InvalidSettingException when a grid is not one of all processes, or a matrix does not fit
   */
  void check(List<HplCase> cases) {
    for (HplCase each : cases) {
      each.problem().grid().requireProcesses(processes());
      memory().ifPresent(each.problem()::requireMemory);
    }
  }

  double seconds(HplCase one, HplInput.Options options) {
    return closedForm.map(form -> form.seconds(system, one.problem()))
        .orElseGet(() -> simulated().seconds(one, options, Set.of()));
  }

  Simulated simulated() {
    return new Simulated(
        fabric.orElseThrow(() -> new InvalidSettingException(
            "", "a run on the network needs its links: write --cluster instead of --system")),
        network, kernels, placement.nodeGrid(), placement.memory());
  }
}
