package dev.heddle.collectives.nccl.system;

import dev.heddle.collectives.nccl.system.SystemDescription.Bridge;
import dev.heddle.collectives.nccl.system.SystemDescription.Gpu;
import dev.heddle.collectives.nccl.system.SystemDescription.Net;
import dev.heddle.collectives.nccl.system.SystemDescription.Nic;
import dev.heddle.collectives.nccl.system.SystemDescription.PciDevice;
import java.util.ArrayList;
import java.util.List;

/**
 * The GPUs and ports of a description, in the order of the file.
 *
 * @param gpus all GPUs
 * @param nets all ports
 */
record Inventory(List<Gpu> gpus, List<Net> nets) {
  static Inventory of(SystemDescription system) {
    Inventory inventory = new Inventory(new ArrayList<>(), new ArrayList<>());
    system.cpus().forEach(cpu -> {
      cpu.devices().forEach(inventory::add);
      inventory.nets.addAll(cpu.nets());
    });
    return inventory;
  }

  private void add(PciDevice device) {
    if (device.content() instanceof Gpu gpu) {
      gpus.add(gpu);
    } else if (device.content() instanceof Nic nic) {
      nets.addAll(nic.nets());
    } else if (device.content() instanceof Bridge bridge) {
      bridge.devices().forEach(this::add);
    }
  }
}
