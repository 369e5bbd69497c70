package dev.heddle.topology.node;

import dev.heddle.spi.Link;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Switch;
import java.util.List;
import java.util.Optional;

/**
 * The host side of a node: the paths from accelerators and NICs to the CPUs, and to each other through them. A CPU
 * stands for its root complexes too.
 *
 * @param link of a device to the PCIe switch or CPU above it, and of a switch to its CPU; the default of the other
 * links
 * @param acceleratorLink of an accelerator to the PCIe switch or CPU above it
 * @param nicLink of a NIC to the device that it is attached to
 * @param rootLink of a PCIe switch to the CPU above it
 * @param switches number of PCIe switches; divided among the CPUs in order
 * @param forwarding of a PCIe switch
 * @param cpu forwarding of a CPU
 * @param socketLink between every two CPUs of a host
 * @param accelerators the PCIe switch, or CPU without switches, above each accelerator
 * @param nics the device that each NIC is attached to
 * @param nicsAt kind of that device
 * @param separate number of hosts of the node that share only the accelerator interconnect
 * @param relay forwarding by an accelerator of traffic that has no other path
 */
public record Host(
    @Setting("link of a device to the PCIe switch or CPU above it, and of a switch to its CPU, unless said "
        + "otherwise") Link link,
    @Setting("link of an accelerator to the PCIe switch or CPU above it; without "
        + "it, link") Optional<Link> acceleratorLink,
    @Setting("link of a NIC to the device that it is attached to; without it, link") Optional<Link> nicLink,
    @Setting("link of a PCIe switch to the CPU above it; without it, link") Optional<Link> rootLink,
    @Setting(value = "PCIe switches, divided among the CPUs in order; 0: devices hang below the CPUs", def = "0",
        min = "0", max = "1024") int switches,
    @Setting(value = "forwarding of a PCIe switch", def = "{type: generic, latency: 100 ns}",
        source = "PLX PEX 8747 product brief: at most 100 ns") Switch forwarding,
    @Setting(value = "forwarding of a CPU between its root ports", def = "{type: generic, latency: 150 ns}") Switch cpu,
    @Setting(value = "link between every two CPUs of a host",
        def = "{type: generic, rate: 20 GB/s, latency: 100 ns, medium: socket}",
        source = "a choice: two or three UPI or xGMI links, less what coherence takes") Link socketLink,
    @Setting(value = "number of the PCIe switch, or CPU without switches, above each accelerator; without it, divided "
        + "in order", min = "0") List<Integer> accelerators,
    @Setting(value = "number of the device that each NIC is attached to; without it, divided in order",
        min = "0") List<Integer> nics,
    @Setting(value = "kind of device that NICs are attached to: PCIe switches, or CPUs without switches, or "
        + "accelerators",
        def = "host") NicsAt nicsAt,
    @Setting(value = "hosts that share only the accelerator interconnect; CPUs are divided among them in order",
        def = "1", min = "1", max = "1024") int separate,
    @Setting(value = "forwarding by an accelerator of traffic that has no other path, such as to another host",
        def = "{type: generic, latency: 500 ns}", source = "a choice: a copy through its memory") Switch relay) {
  /** Copies the lists. */
  public Host {
    accelerators = List.copyOf(accelerators);
    nics = List.copyOf(nics);
  }

  /** The devices to which NICs are attached. */
  public enum NicsAt {
    /** PCIe switches, or CPUs where there are none. */
    HOST,
    /** Accelerators. */
    ACCELERATOR
  }

  /** A host of PCIe switches, divided evenly. */
  public static Host of(Link link, int switches, Switch forwarding, Link socketLink) {
    return new Host(
        link, Optional.empty(), Optional.empty(), Optional.empty(), switches, forwarding, forwarding, socketLink,
        List.of(), List.of(), NicsAt.HOST, 1, forwarding);
  }

  /** The same host with the devices to which accelerators and NICs are attached. */
  public Host attach(List<Integer> acceleratorsTo, List<Integer> nicsTo, NicsAt at) {
    return new Host(
        link, acceleratorLink, nicLink, rootLink, switches, forwarding, cpu, socketLink, acceleratorsTo, nicsTo, at,
        separate, relay);
  }

  /** The same divided into hosts. */
  public Host separate(int hosts) {
    return new Host(
        link, acceleratorLink, nicLink, rootLink, switches, forwarding, cpu, socketLink, accelerators, nics, nicsAt,
        hosts, relay);
  }
}
