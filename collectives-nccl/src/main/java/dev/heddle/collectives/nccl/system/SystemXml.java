package dev.heddle.collectives.nccl.system;

import dev.heddle.collectives.nccl.system.SystemDescription.Bridge;
import dev.heddle.collectives.nccl.system.SystemDescription.Cpu;
import dev.heddle.collectives.nccl.system.SystemDescription.Gpu;
import dev.heddle.collectives.nccl.system.SystemDescription.Net;
import dev.heddle.collectives.nccl.system.SystemDescription.Nic;
import dev.heddle.collectives.nccl.system.SystemDescription.PciDevice;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.text.Unreadable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Reader and writer of NCCL's topology file, which NCCL_TOPO_FILE and NCCL_TOPO_DUMP_FILE name. */
public final class SystemXml {
  private SystemXml() {}

  /**
   * Reads a file.
   *
   * @throws InvalidSettingException when the file cannot be read, or is no topology file; the message names file and
   *     line
   */
  public static SystemDescription read(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return read(file.toString(), in);
    } catch (IOException e) {
      throw new InvalidSettingException("file", Unreadable.message(file, e));
    }
  }

  /**
   * Reads a stream.
   *
   * @param file its name, for messages
   * @throws InvalidSettingException when the text is no topology file; the message names file and line
   */
  public static SystemDescription read(String file, InputStream in) {
    return new SystemXmlReader(file, in).read();
  }

  /** Writes a description in NCCL's format. */
  public static String write(SystemDescription system) {
    Writer writer = new Writer();
    writer.open("system", "version", "1");
    system.cpus().forEach(writer::cpu);
    writer.close("system");
    return writer.text.toString();
  }

  /** Builder of the text, with an indent of two spaces per level. */
  private static final class Writer {
    private final StringBuilder text = new StringBuilder();
    private int depth;

    private void cpu(Cpu cpu) {
      open("cpu", "host_hash", cpu.hostHash(), "numaid", "" + cpu.numa(), "affinity", cpu.affinity(),
          "arch", cpu.model().arch(), "vendor", cpu.model().vendor(), "familyid", "" + cpu.model().family(),
          "modelid", "" + cpu.model().model());
      cpu.devices().forEach(this::pci);
      if (!cpu.nets().isEmpty()) {
        nic(cpu.nets());
      }
      close("cpu");
    }

    private void pci(PciDevice device) {
      open("pci", "busid", device.id().busId(), "class", device.id().pciClass(), "vendor", device.id().vendor(),
          "device", device.id().device(), "subsystem_vendor", device.id().subsystemVendor(),
          "subsystem_device", device.id().subsystemDevice(), "link_speed", device.speed(),
          "link_width", "" + device.width());
      if (device.content() instanceof Gpu gpu) {
        gpu(gpu);
      } else if (device.content() instanceof Nic nic) {
        nic(nic.nets());
      } else if (device.content() instanceof Bridge bridge) {
        bridge.peers().forEach(peer -> leaf("pcilink", "target", peer));
        bridge.devices().forEach(this::pci);
      }
      close("pci");
    }

    private void gpu(Gpu gpu) {
      open("gpu", "dev", "" + gpu.dev(), "sm", "" + gpu.sm(), "rank", "" + gpu.rank(), "gdr", flag(gpu.gdr()));
      gpu.nvlinks().forEach(
          link -> leaf("nvlink", "target", link.target(), "count", "" + link.count(), "tclass", link.targetClass()));
      gpu.c2c().ifPresent(c2c -> leaf("c2c", "bw", "" + c2c.megabytes(), "count", "" + c2c.count()));
      close("gpu");
    }

    private void nic(List<Net> nets) {
      open("nic");
      for (Net net : nets) {
        leaf("net", "name", net.name(), "dev", "" + net.dev(), "latency",
            String.format(Locale.ROOT, "%f", net.latencyUs()),
            "speed", "" + net.megabits(), "port", "" + net.port(), "guid", net.guid(),
            "maxconn", "" + net.maxConnections(), "gdr", flag(net.gdr()), "coll", flag(net.coll()));
      }
      close("nic");
    }

    private static String flag(boolean value) {
      return value ? "1" : "0";
    }

    private void open(String element, String... attributes) {
      start(element, attributes);
      text.append(">\n");
      depth++;
    }

    private void leaf(String element, String... attributes) {
      start(element, attributes);
      text.append("/>\n");
    }

    private void start(String element, String... attributes) {
      text.append("  ".repeat(depth)).append('<').append(element);
      for (int i = 0; i < attributes.length; i += 2) {
        if (!attributes[i + 1].isEmpty() || attributes[i].equals("link_speed")) {
          text.append(' ').append(attributes[i]).append("=\"").append(escaped(attributes[i + 1])).append('"');
        }
      }
    }

    private void close(String element) {
      depth--;
      text.append("  ".repeat(depth)).append("</").append(element).append(">\n");
    }

    private static String escaped(String value) {
      return value.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    }
  }
}
