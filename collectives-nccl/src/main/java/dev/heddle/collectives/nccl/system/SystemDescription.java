package dev.heddle.collectives.nccl.system;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;

/**
 * A node as NCCL's topology file describes it: sockets, the PCIe trees below them, GPUs with their NVLinks, NICs.
 *
 * @param cpus in order
 */
public record SystemDescription(List<Cpu> cpus) {
  /** Copies the list. */
  public SystemDescription {
    cpus = ImmutableList.copyOf(cpus);
  }

  /** The hosts that it joins, each by itself; itself where it is one. */
  public List<SystemDescription> byHost() {
    return cpus.stream().map(Cpu::hostHash).distinct()
        .map(host -> new SystemDescription(cpus.stream().filter(cpu -> cpu.hostHash().equals(host)).toList()))
        .toList();
  }

  /** Which GPU of the description, from 0, has a number on the host; -1 where none has. */
  public int gpuWithDev(int dev) {
    List<Integer> devs = Inventory.of(this).gpus().stream().map(Gpu::dev).toList();
    return devs.indexOf(dev);
  }

  /**
   * A socket, or one NUMA domain of it.
   *
   * @param hostHash what tells hosts apart; empty where not given
   * @param numa its number
   * @param affinity the mask of its cores, hexadecimal; empty where not given
   * @param model what it is
   * @param devices below its host bridges
   * @param nets that are on no PCIe device, such as virtual ones
   */
  public record Cpu(
      String hostHash, int numa, String affinity, CpuModel model, List<PciDevice> devices, List<Net> nets) {
    /** Copies the lists. */
    public Cpu {
      devices = ImmutableList.copyOf(devices);
      nets = ImmutableList.copyOf(nets);
    }

    /** A socket with what NCCL needs of it. */
    public static Cpu of(int numa, CpuModel model, List<PciDevice> devices) {
      return new Cpu("", numa, "", model, devices, List.of());
    }
  }

  /**
   * What identifies a PCIe function; texts as the file has them, empty where it has none.
   *
   * @param busId domain, bus, device, function, such as {@code 0000:1b:00.0}
   * @param pciClass such as {@code 0x030200}
   */
  public record PciId(
      String busId, String pciClass, String vendor, String device, String subsystemVendor, String subsystemDevice) {
    /** An identity with no vendor. */
    public static PciId of(String busId, String pciClass) {
      return new PciId(busId, pciClass, "", "", "", "");
    }
  }

  /**
   * A PCIe function: a switch with others below, a GPU, or a NIC.
   *
   * @param id which
   * @param speed of a lane of its link upwards, such as {@code 32.0 GT/s PCIe}; empty where unknown
   * @param width lanes of its link upwards; 0 where unknown
   * @param content what it is
   */
  public record PciDevice(PciId id, String speed, int width, Content content) {}

  /** What a PCIe function is. */
  public sealed interface Content permits Bridge, Gpu, Nic {}

  /**
   * A PCIe switch.
   *
   * @param devices below it
   * @param peers bus ids of switches beside it that it is directly connected to
   */
  public record Bridge(List<PciDevice> devices, List<String> peers) implements Content {
    /** Copies the lists. */
    public Bridge {
      devices = ImmutableList.copyOf(devices);
      peers = ImmutableList.copyOf(peers);
    }
  }

  /**
   * A GPU.
   *
   * @param dev its number on the host
   * @param sm its compute capability times ten
   * @param rank in the communicator; -1 where not given
   * @param gdr whether NICs may read and write its memory
   * @param nvlinks by target
   * @param c2c the coherent link to its CPU
   */
  public record Gpu(int dev, int sm, int rank, boolean gdr, List<Nvlink> nvlinks, Optional<C2c> c2c)
      implements Content {
    /** Copies the list. */
    public Gpu {
      nvlinks = ImmutableList.copyOf(nvlinks);
    }
  }

  /**
   * Parallel NVLinks to one target.
   *
   * @param target bus id of a GPU, NVSwitch or CPU bridge
   * @param count links, at least 1
   * @param targetClass PCI class of the target: 0x03 a GPU, 0x0680 an NVSwitch, 0x0604 a CPU
   */
  public record Nvlink(String target, int count, String targetClass) {
    /** Whether the target is an NVSwitch. */
    public boolean toSwitch() {
      return targetClass.startsWith("0x068");
    }

    /** Whether the target is a CPU. */
    public boolean toCpu() {
      return targetClass.startsWith("0x0604") || targetClass.startsWith("0x0600");
    }
  }

  /**
   * The coherent link between a GPU and its CPU.
   *
   * @param megabytes per second and link
   * @param count links
   */
  public record C2c(int megabytes, int count) {}

  /**
   * A network adapter.
   *
   * @param nets its ports
   */
  public record Nic(List<Net> nets) implements Content {
    /** Copies the list. */
    public Nic {
      nets = ImmutableList.copyOf(nets);
    }
  }

  /**
   * A port of a network adapter.
   *
   * @param name such as {@code mlx5_0}
   * @param dev its number on the host
   * @param latencyUs that the plug-in states, microseconds
   * @param megabits per second; 0 where unknown
   * @param port of its adapter, from 1
   * @param guid of its adapter: ports of one guid and port share its rate
   * @param maxConnections how many channels may use it
   * @param gdr whether it reads and writes GPU memory
   * @param coll whether it can have the network reduce
   */
  public record Net(
      String name, int dev, double latencyUs, int megabits, int port, String guid, int maxConnections, boolean gdr,
      boolean coll) {
    /** A port that does all that NCCL asks for. */
    public static Net of(String name, int dev, int megabits) {
      return new Net(
          name, dev, 0, megabits, 1, "0x" + Integer.toHexString(0x1000 + dev), DEFAULT_CONNECTIONS, true, true);
    }

    private static final int DEFAULT_CONNECTIONS = 131_072;
  }
}
