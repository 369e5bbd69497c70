package dev.heddle.collectives.nccl.system;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;

/** A node as in NCCL's topology file: sockets with their PCIe trees, GPUs with their NVLinks, NICs. */
public final class SystemDescription {
  private final ImmutableList<Cpu> cpus;
  // Every communicator asks for plans by the descriptions of all its nodes.
  private final int hash;

  /**
   * A node.
   *
   * @param cpus in order
   */
  public SystemDescription(List<Cpu> cpus) {
    this.cpus = ImmutableList.copyOf(cpus);
    hash = this.cpus.hashCode();
  }

  /** The sockets in order. */
  public List<Cpu> cpus() {
    return cpus;
  }

  @Override
  public boolean equals(Object other) {
    return other == this
        || other instanceof SystemDescription that && hash == that.hash && cpus.equals(that.cpus);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return "SystemDescription" + cpus;
  }

  /** The descriptions of the single hosts of the node. */
  public List<SystemDescription> byHost() {
    return cpus.stream().map(Cpu::hostHash).distinct()
        .map(host -> new SystemDescription(cpus.stream().filter(cpu -> cpu.hostHash().equals(host)).toList()))
        .toList();
  }

  /** The index of the GPU with a device number; -1 if there is none. */
  public int gpuWithDev(int dev) {
    List<Integer> devs = Inventory.of(this).gpus().stream().map(Gpu::dev).toList();
    return devs.indexOf(dev);
  }

  /**
   * A socket, or one NUMA domain of it.
   *
   * @param hostHash identifier of the host; empty if not given
   * @param numa number of the domain
   * @param affinity mask of its cores, hexadecimal; empty if not given
   * @param model CPU model
   * @param devices PCIe devices below its host bridges
   * @param nets ports that are on no PCIe device, such as virtual ones
   */
  public record Cpu(
      String hostHash, int numa, String affinity, CpuModel model, List<PciDevice> devices, List<Net> nets) {
    /** Copies the lists. */
    public Cpu {
      devices = ImmutableList.copyOf(devices);
      nets = ImmutableList.copyOf(nets);
    }

    /** A socket of a single host. */
    public static Cpu of(int numa, CpuModel model, List<PciDevice> devices) {
      return new Cpu("", numa, "", model, devices, List.of());
    }
  }

  /**
   * Identity of a PCIe function; texts as in the file, empty if absent.
   *
   * @param busId domain, bus, device, function, such as {@code 0000:1b:00.0}
   * @param pciClass such as {@code 0x030200}
   */
  public record PciId(
      String busId, String pciClass, String vendor, String device, String subsystemVendor, String subsystemDevice) {
    /** An identity without vendor. */
    public static PciId of(String busId, String pciClass) {
      return new PciId(busId, pciClass, "", "", "", "");
    }
  }

  /**
   * A PCIe function: a switch with others below, a GPU, or a NIC.
   *
   * @param id its identity
   * @param speed of a lane of its upstream link, such as {@code 32.0 GT/s PCIe}; empty if unknown
   * @param width lanes of its upstream link; 0 if unknown
   * @param content kind of function with its properties
   */
  public record PciDevice(PciId id, String speed, int width, Content content) {}

  /** The kinds of PCIe functions. */
  public sealed interface Content permits Bridge, Gpu, Nic {}

  /**
   * A PCIe switch.
   *
   * @param devices below it
   * @param peers bus ids of the switches to which it is directly connected
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
   * @param dev number on the host
   * @param sm compute capability times ten
   * @param rank in the communicator; -1 if not given
   * @param gdr whether NICs may access its memory
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
   * @param count number of links
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
   * @param dev number on the host
   * @param latencyUs latency stated by the network plug-in, microseconds
   * @param megabits rate, Mb/s; 0 if unknown
   * @param port number on its adapter, from 1
   * @param guid of its adapter; ports with the same guid and number share a rate
   * @param maxConnections largest number of channels
   * @param gdr whether the port can access GPU memory
   * @param coll whether the port supports reduction in the network
   */
  public record Net(
      String name, int dev, double latencyUs, int megabits, int port, String guid, int maxConnections, boolean gdr,
      boolean coll) {
    /** A port that supports GPUDirect RDMA and reduction in the network. */
    public static Net of(String name, int dev, int megabits) {
      return new Net(
          name, dev, 0, megabits, 1, "0x" + Integer.toHexString(0x1000 + dev), DEFAULT_CONNECTIONS, true, true);
    }

    Net stating(double us) {
      return new Net(name, dev, us, megabits, port, guid, maxConnections, gdr, coll);
    }

    private static final int DEFAULT_CONNECTIONS = 131_072;
  }
}
