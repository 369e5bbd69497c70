package dev.heddle.collectives.nccl.system;

import dev.heddle.collectives.nccl.system.SystemDescription.Bridge;
import dev.heddle.collectives.nccl.system.SystemDescription.Content;
import dev.heddle.collectives.nccl.system.SystemDescription.Cpu;
import dev.heddle.collectives.nccl.system.SystemDescription.Gpu;
import dev.heddle.collectives.nccl.system.SystemDescription.Net;
import dev.heddle.collectives.nccl.system.SystemDescription.Nic;
import dev.heddle.collectives.nccl.system.SystemDescription.Nvlink;
import dev.heddle.collectives.nccl.system.SystemDescription.PciDevice;
import dev.heddle.collectives.nccl.system.SystemDescription.PciId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Completion of a topology file that gives GPUs and NICs by PCI class alone, as the files that clouds ship for
 * NCCL_TOPO_FILE do. NCCL completes them from the machine; here another description of the node, or one kind of GPU,
 * takes its place. Devices are numbered by ascending bus id, as the CUDA runtime and the verbs library number them; a
 * GPU without NVLinks receives those of its number, as in NCCL.
 */
public final class DeviceFilling {
  private static final String NVSWITCH_CLASS = "0x068000";
  // Bus id of an NVSwitch that a virtual machine does not see, as NCCL writes it.
  private static final String HIDDEN_SWITCH = "fffffff:ffff:ff";

  private final List<String> gpuBusIds;
  private final List<String> nicBusIds;
  private final List<Gpu> gpus;
  private final List<Net> nets;
  // Bus id, in the completing description, of the GPU of each number.
  private final List<String> targets;

  private DeviceFilling(SystemDescription file, SystemDescription machine) {
    gpuBusIds = busIds(file, DeviceFilling::isGpu);
    nicBusIds = busIds(file, DeviceFilling::isNic);
    List<PciDevice> ordered = devices(machine).filter(device -> device.content() instanceof Gpu)
        .sorted(Comparator.comparing(device -> ((Gpu) device.content()).dev())).toList();
    gpus = ordered.stream().map(device -> (Gpu) device.content()).toList();
    targets = ordered.stream().map(device -> device.id().busId()).toList();
    nets = Inventory.of(machine).nets().stream().sorted(Comparator.comparing(Net::dev)).toList();
  }

  /** Whether a description has devices that NCCL would complete: by class alone, or GPUs without NVLinks. */
  public static boolean isPartial(SystemDescription file) {
    return lacksDetails(file) || Inventory.of(file).gpus().stream().anyMatch(gpu -> gpu.nvlinks().isEmpty());
  }

  /** Whether a description has GPUs or NICs that only their PCI class names. */
  static boolean lacksDetails(SystemDescription file) {
    return devices(file).anyMatch(device -> byClass(device, "0x03") || byClass(device, "0x02"));
  }

  /** Completes a file by the machine that it is used on; a device that the machine lacks stays as in the file. */
  public static SystemDescription complete(SystemDescription file, SystemDescription machine) {
    return new DeviceFilling(file, machine).complete(file);
  }

  /**
   * Completes a file whose GPUs are all alike and joined by NVSwitches; a NIC has one port of unknown rate.
   *
   * @param sm compute capability times ten
   * @param nvlinks NVLinks of each GPU to the NVSwitches; 0: none
   */
  static SystemDescription complete(SystemDescription file, int sm, int nvlinks) {
    List<PciDevice> devices = new ArrayList<>();
    List<Nvlink> links = nvlinks == 0 ? List.of() : List.of(new Nvlink(HIDDEN_SWITCH, nvlinks, NVSWITCH_CLASS));
    List<String> gpuBusIds = busIds(file, DeviceFilling::isGpu);
    for (int dev = 0; dev < gpuBusIds.size(); dev++) {
      devices.add(new PciDevice(PciId.of(gpuBusIds.get(dev), "0x030200"), "", 0,
          new Gpu(dev, sm, dev, true, links, Optional.empty())));
    }
    int nics = busIds(file, DeviceFilling::isNic).size();
    for (int dev = 0; dev < nics; dev++) {
      devices.add(new PciDevice(PciId.of("", "0x020000"), "", 0,
          new Nic(List.of(Net.of("nic" + dev, dev, 0)))));
    }
    Cpu cpu = Cpu.of(0, CpuModel.sapphireRapids(), devices);
    return complete(file, new SystemDescription(List.of(cpu)));
  }

  private static boolean isGpu(PciDevice device) {
    return device.content() instanceof Gpu || byClass(device, "0x03");
  }

  private static boolean isNic(PciDevice device) {
    return device.content() instanceof Nic || byClass(device, "0x02");
  }

  private static boolean byClass(PciDevice device, String prefix) {
    return device.content() instanceof Bridge bridge && bridge.devices().isEmpty() && bridge.peers().isEmpty()
        && device.id().pciClass().startsWith(prefix);
  }

  private static List<String> busIds(SystemDescription file, Predicate<PciDevice> kind) {
    return devices(file).filter(kind).map(device -> device.id().busId()).sorted().toList();
  }

  // All devices of a description, those behind bridges included.
  private static Stream<PciDevice> devices(SystemDescription description) {
    return description.cpus().stream().flatMap(cpu -> cpu.devices().stream()).flatMap(DeviceFilling::withInner);
  }

  private static Stream<PciDevice> withInner(PciDevice device) {
    return device.content() instanceof Bridge bridge
        ? Stream.concat(Stream.of(device), bridge.devices().stream().flatMap(DeviceFilling::withInner))
        : Stream.of(device);
  }

  private SystemDescription complete(SystemDescription file) {
    return new SystemDescription(file.cpus().stream()
        .map(cpu -> new Cpu(cpu.hostHash(), cpu.numa(), cpu.affinity(), cpu.model(),
            cpu.devices().stream().map(this::complete).toList(), cpu.nets()))
        .toList());
  }

  private PciDevice complete(PciDevice device) {
    return new PciDevice(device.id(), device.speed(), device.width(), content(device));
  }

  private Content content(PciDevice device) {
    if (device.content() instanceof Gpu gpu && gpu.nvlinks().isEmpty() && gpu.dev() < gpus.size()) {
      return new Gpu(gpu.dev(), gpu.sm(), gpu.rank(), gpu.gdr(), nvlinks(gpus.get(gpu.dev())), gpu.c2c());
    }
    if (byClass(device, "0x03")) {
      int dev = gpuBusIds.indexOf(device.id().busId());
      if (dev < gpus.size()) {
        Gpu gpu = gpus.get(dev);
        return new Gpu(dev, gpu.sm(), dev, gpu.gdr(), nvlinks(gpu), gpu.c2c());
      }
    }
    if (byClass(device, "0x02")) {
      int dev = nicBusIds.indexOf(device.id().busId());
      if (dev < nets.size()) {
        return new Nic(List.of(nets.get(dev)));
      }
    }
    if (device.content() instanceof Bridge bridge) {
      return new Bridge(bridge.devices().stream().map(this::complete).toList(), bridge.peers());
    }
    return device.content();
  }

  // NVLinks to other GPUs lead to the bus ids of the file.
  private List<Nvlink> nvlinks(Gpu gpu) {
    return gpu.nvlinks().stream().map(link -> {
      int dev = targets.indexOf(link.target());
      return dev < 0 || dev >= gpuBusIds.size()
          ? link
          : new Nvlink(gpuBusIds.get(dev), link.count(), link.targetClass());
    }).toList();
  }
}
