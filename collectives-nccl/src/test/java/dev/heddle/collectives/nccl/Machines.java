package dev.heddle.collectives.nccl;

import dev.heddle.collectives.nccl.system.CpuModel;
import dev.heddle.collectives.nccl.system.SystemDescription;
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
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.IntFunction;

/** Well-known nodes as topology files. */
public final class Machines {
  private static final String GPU_CLASS = "0x030200";
  private static final String NVSWITCH_CLASS = "0x068000";

  private Machines() {}

  /** Eight GPUs on NVSwitches, each with its own NIC below the same PCIe switch. */
  public static SystemDescription hgx(int sm, int nvlinks, String pcie, int megabits, CpuModel cpu) {
    return switched(8, sm, nvlinks, pcie, megabits, cpu);
  }

  /** HGX H100 with a 400 Gb/s NIC for each GPU. */
  public static SystemDescription h100() {
    return hgx(90, 18, "32.0 GT/s PCIe", 400_000, CpuModel.sapphireRapids());
  }

  /** HGX B200 with a 400 Gb/s NIC for each GPU. */
  public static SystemDescription b200() {
    return hgx(100, 18, "32.0 GT/s PCIe", 400_000, CpuModel.sapphireRapids());
  }

  /** DGX A100 with a 200 Gb/s NIC for each GPU. */
  public static SystemDescription a100() {
    return hgx(80, 12, "16.0 GT/s PCIe", 200_000, CpuModel.amd());
  }

  /** GPUs on NVSwitches, each with its own NIC below the same PCIe switch, on two sockets. */
  public static SystemDescription switched(
      int gpus, int sm, int nvlinks, String pcie, int megabits, CpuModel cpu) {
    return twoSockets(cpu, gpus, i -> bridge(i, pcie, List.of(
        new PciDevice(PciId.of(busId(i, 2), GPU_CLASS), pcie, 16,
            gpu(i, sm, List.of(new Nvlink("0000:05:00.0", nvlinks, NVSWITCH_CLASS)))),
        new PciDevice(PciId.of(busId(i, 3), "0x020700"), pcie, 16,
            new Nic(List.of(Net.of("mlx5_" + i, i, megabits)))))));
  }

  /** DGX-1V: the hybrid cube mesh of eight V100, four NICs of 100 Gb/s, each below a PCIe switch of two GPUs. */
  public static SystemDescription dgx1v() {
    // [NVIDIA DGX-1 with Tesla V100 system architecture, figure 4]: links between GPUs
    int[][] links = {
        {0, 1, 1}, {0, 2, 1}, {0, 3, 2}, {0, 4, 2}, {1, 2, 2}, {1, 3, 1}, {1, 5, 2}, {2, 3, 2}, {2, 6, 1}, {3, 7, 1},
        {4, 5, 1}, {4, 6, 1}, {4, 7, 2}, {5, 6, 2}, {5, 7, 1}, {6, 7, 2}};
    String pcie = "8.0 GT/s PCIe";
    CpuModel broadwell = new CpuModel("x86_64", "GenuineIntel", 6, 79);
    return twoSockets(broadwell, 4, i -> {
      List<PciDevice> devices = new ArrayList<>();
      for (int g = 2 * i; g < 2 * i + 2; g++) {
        devices.add(new PciDevice(PciId.of(busId(g, 2), GPU_CLASS), pcie, 16, gpu(g, 70, mesh(g, links))));
      }
      devices.add(new PciDevice(
          PciId.of(busId(i, 3), "0x020700"), pcie, 16, new Nic(List.of(Net.of("mlx5_" + i, i, 100_000)))));
      return bridge(i, pcie, devices);
    });
  }

  private static List<Nvlink> mesh(int gpu, int[][] links) {
    List<Nvlink> nvlinks = new ArrayList<>();
    for (int[] link : links) {
      if (link[0] == gpu || link[1] == gpu) {
        nvlinks.add(new Nvlink(busId(link[0] == gpu ? link[1] : link[0], 2), link[2], GPU_CLASS));
      }
    }
    return nvlinks;
  }

  /** GPUs without NVLink, two below each PCIe switch, and one NIC. */
  public static SystemDescription pcieOnly(int gpus, CpuModel cpu) {
    String pcie = "16.0 GT/s PCIe";
    return twoSockets(cpu, gpus / 2, i -> {
      List<PciDevice> devices = new ArrayList<>();
      for (int g = 2 * i; g < 2 * i + 2; g++) {
        devices.add(new PciDevice(PciId.of(busId(g, 2), GPU_CLASS), pcie, 16, gpu(g, 80, List.of())));
      }
      if (i == 0) {
        devices.add(new PciDevice(
            PciId.of(busId(i, 3), "0x020700"), pcie, 16, new Nic(List.of(Net.of("mlx5_0", 0, 100_000)))));
      }
      return bridge(i, pcie, devices);
    });
  }

  /** Two GPUs below one PCIe switch on each socket, each with a NIC of 400 Gb/s, and no NVLink. */
  public static SystemDescription withoutNvlink() {
    String slow = "8.0 GT/s PCIe";
    String fast = "16.0 GT/s PCIe";
    return twoSockets(CpuModel.sapphireRapids(), 2, i -> bridge(i, slow, List.of(
        new PciDevice(PciId.of(busId(i, 2), GPU_CLASS), fast, 16, gpu(i, 80, List.of())),
        new PciDevice(PciId.of(busId(i, 3), "0x020700"), fast, 16,
            new Nic(List.of(Net.of("mlx5_" + i, i, 400_000)))))));
  }

  /** Two GPUs and one NIC with several ports below a PCIe switch. */
  public static SystemDescription pair(List<Net> ports) {
    String pcie = "16.0 GT/s PCIe";
    List<PciDevice> devices = new ArrayList<>();
    for (int g = 0; g < 2; g++) {
      devices.add(new PciDevice(PciId.of(busId(g, 2), GPU_CLASS), pcie, 16,
          gpu(g, 80, List.of(new Nvlink("0000:05:00.0", 12, NVSWITCH_CLASS)))));
    }
    devices.add(new PciDevice(PciId.of(busId(0, 3), "0x020700"), pcie, 16, new Nic(ports)));
    return new SystemDescription(List.of(Cpu.of(0, CpuModel.amd(), List.of(bridge(0, pcie, devices)))));
  }

  /** The second port of the adapter mlx5_0. */
  public static Net secondPort() {
    Net first = Net.of("mlx5_0", 0, 100_000);
    return new Net("mlx5_0", 1, 0, 100_000, 2, first.guid(), first.maxConnections(), true, true);
  }

  /** Devices below two sockets, half of them below each. */
  public static SystemDescription twoSockets(CpuModel cpu, int devices, IntFunction<PciDevice> device) {
    List<Cpu> cpus = new ArrayList<>();
    for (int socket = 0; socket < 2; socket++) {
      List<PciDevice> below = new ArrayList<>();
      for (int i = socket * devices / 2; i < (socket + 1) * devices / 2; i++) {
        below.add(device.apply(i));
      }
      cpus.add(Cpu.of(socket, cpu, below));
    }
    return new SystemDescription(cpus);
  }

  /** A PCIe switch. */
  public static PciDevice bridge(int number, String pcie, List<PciDevice> below) {
    Content content = new Bridge(below, List.of());
    return new PciDevice(PciId.of(busId(number, 1), "0x060400"), pcie, 16, content);
  }

  /** A GPU whose rank equals its number. */
  public static Gpu gpu(int number, int sm, List<Nvlink> nvlinks) {
    return new Gpu(number, sm, number, true, nvlinks, Optional.empty());
  }

  /** A bus id with one bus for each number and one device for each kind. */
  public static String busId(int number, int kind) {
    return String.format(Locale.ROOT, "0000:%02x:%02x.0", 0x10 + number, kind);
  }
}
