package dev.heddle.collectives.nccl.system;

import dev.heddle.collectives.nccl.system.SystemDescription.Bridge;
import dev.heddle.collectives.nccl.system.SystemDescription.C2c;
import dev.heddle.collectives.nccl.system.SystemDescription.Content;
import dev.heddle.collectives.nccl.system.SystemDescription.Cpu;
import dev.heddle.collectives.nccl.system.SystemDescription.Gpu;
import dev.heddle.collectives.nccl.system.SystemDescription.Net;
import dev.heddle.collectives.nccl.system.SystemDescription.Nic;
import dev.heddle.collectives.nccl.system.SystemDescription.Nvlink;
import dev.heddle.collectives.nccl.system.SystemDescription.PciDevice;
import dev.heddle.collectives.nccl.system.SystemDescription.PciId;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.xml.XmlCursor;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToIntFunction;
import java.util.regex.Pattern;

/** Parser of a topology file: nested elements system, cpu and pci, with gpu and nic as leaves. */
final class SystemXmlReader {
  private static final Pattern BUS_ID = Pattern.compile("(?i)([0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\\.[0-9a-f]");
  private static final List<String> ARCHITECTURES = List.of("x86_64", "arm64", "ppc64");
  private static final int MOST_DEVICES = 4096;

  private final XmlCursor xml;
  private final Map<String, Integer> lineOfDevice = new LinkedHashMap<>();
  private final List<NvlinkPlace> nvlinks = new ArrayList<>();

  SystemXmlReader(String file, InputStream in) {
    xml = new XmlCursor(file, in, message -> new InvalidSettingException("file", message));
  }

  private record NvlinkPlace(String gpu, Nvlink link, int line) {}

  SystemDescription read() {
    xml.root("system");
    xml.number("version", 1, 1);
    List<Cpu> cpus = new ArrayList<>();
    while (xml.child()) {
      xml.expect(List.of("cpu"));
      cpus.add(cpu());
    }
    if (cpus.isEmpty()) {
      throw xml.fail("<system> holds no <cpu>");
    }
    checkNvlinks();
    SystemDescription system = new SystemDescription(cpus);
    checkDistinct(system);
    xml.end();
    return system;
  }

  private Cpu cpu() {
    int numa = xml.number("numaid", -1, MOST_DEVICES);
    String arch = xml.optional("arch").orElseThrow(() -> xml.fail("<cpu> lacks the attribute arch; a file of bus ids"
        + " alone is completed by NCCL from the machine's sysfs: write the whole with NCCL_TOPO_DUMP_FILE there"));
    if (!ARCHITECTURES.contains(arch)) {
      throw xml.fail("arch is '" + arch + "'; it must be one of " + String.join(", ", ARCHITECTURES));
    }
    boolean x86 = arch.equals("x86_64");
    CpuModel model = new CpuModel(
        arch, x86 ? xml.attribute("vendor") : text("vendor"), identification("familyid", x86),
        identification("modelid", x86));
    String hash = text("host_hash");
    String affinity = text("affinity");
    List<PciDevice> devices = new ArrayList<>();
    List<Net> nets = new ArrayList<>();
    while (xml.child()) {
      xml.expect(List.of("pci", "nic"));
      if (xml.name().equals("pci")) {
        devices.add(pci());
      } else {
        nets.addAll(nets());
      }
    }
    return new Cpu(hash, numa, affinity, model, devices, nets);
  }

  private int identification(String attribute, boolean demanded) {
    return demanded || xml.optional(attribute).isPresent() ? xml.number(attribute, -1, 1 << 16) : -1;
  }

  private PciDevice pci() {
    String busId = busId("busid");
    Integer before = lineOfDevice.putIfAbsent(busId, xml.line());
    if (before != null) {
      throw xml.fail("busid " + busId + " stands on line " + before + " already");
    }
    PciId id = new PciId(
        busId, xml.attribute("class").toLowerCase(Locale.ROOT), text("vendor"), text("device"),
        text("subsystem_vendor"),
        text("subsystem_device"));
    String speed = xml.attribute("link_speed");
    int width = xml.number("link_width", 0, 64);
    if (PciSpeed.of(speed).isEmpty()) {
      throw xml.fail("link_speed is '" + speed + "'; it must be empty or one of " + PciSpeed.ALLOWED);
    }
    return new PciDevice(id, speed, width, content(busId));
  }

  private Content content(String busId) {
    List<PciDevice> devices = new ArrayList<>();
    List<String> peers = new ArrayList<>();
    Content leaf = null;
    while (xml.child()) {
      xml.expect(List.of("pci", "gpu", "nic", "pcilink"));
      if (leaf != null) {
        throw xml.fail("a <pci> with a <gpu> or <nic> holds nothing else, but here is <" + xml.name() + ">");
      }
      switch (xml.name()) {
        case "pci" -> devices.add(pci());
        case "pcilink" -> {
          peers.add(busId("target"));
          xml.leaf();
        }
        case "gpu" -> leaf = gpu(busId);
        default -> leaf = new Nic(nets());
      }
    }
    if (leaf != null && !(devices.isEmpty() && peers.isEmpty())) {
      throw xml.fail("a <pci> with a <gpu> or <nic> holds nothing else");
    }
    return leaf != null ? leaf : new Bridge(devices, peers);
  }

  private Gpu gpu(String busId) {
    int dev = xml.number("dev", 0, MOST_DEVICES);
    int sm = xml.number("sm", 10, 999);
    int rank = xml.optional("rank").isPresent() ? xml.number("rank", -1, Integer.MAX_VALUE) : -1;
    boolean gdr = flag("gdr", true);
    List<Nvlink> links = new ArrayList<>();
    Optional<C2c> c2c = Optional.empty();
    while (xml.child()) {
      xml.expect(List.of("nvlink", "c2c"));
      if (xml.name().equals("nvlink")) {
        Nvlink link = new Nvlink(xml.attribute("target").toLowerCase(Locale.ROOT),
            xml.number("count", 1, 64), xml.attribute("tclass"));
        nvlinks.add(new NvlinkPlace(busId, link, xml.line()));
        links.add(link);
      } else {
        c2c = Optional.of(new C2c(xml.number("bw", 1, Integer.MAX_VALUE), xml.number("count", 1, 64)));
      }
      xml.leaf();
    }
    return new Gpu(dev, sm, rank, gdr, links, c2c);
  }

  private List<Net> nets() {
    List<Net> nets = new ArrayList<>();
    while (xml.child()) {
      xml.expect(List.of("net"));
      nets.add(new Net(
          text("name"), xml.number("dev", 0, MOST_DEVICES), latency(),
          xml.optional("speed").isPresent() ? xml.number("speed", 0, Integer.MAX_VALUE) : 0,
          xml.optional("port").isPresent() ? xml.number("port", 0, 255) : 0, text("guid"),
          xml.optional("maxconn").isPresent() ? xml.number("maxconn", 1, Integer.MAX_VALUE) : Integer.MAX_VALUE,
          flag("gdr", false), flag("coll", false)));
      xml.leaf();
    }
    return nets;
  }

  private double latency() {
    String text = xml.optional("latency").orElse("0");
    try {
      double latency = Double.parseDouble(text);
      if (latency >= 0 && latency < 1e6) {
        return latency;
      }
    } catch (NumberFormatException e) {
      throw xml.fail("latency is '" + text + "', which is no number of microseconds");
    }
    throw xml.fail("latency is " + text + ", but must be 0 to 1000000 microseconds");
  }

  private boolean flag(String attribute, boolean missing) {
    return xml.optional(attribute).isEmpty() ? missing : xml.number(attribute, 0, 1) == 1;
  }

  private String text(String attribute) {
    return xml.optional(attribute).orElse("");
  }

  private String busId(String attribute) {
    String text = xml.attribute(attribute);
    if (!BUS_ID.matcher(text).matches()) {
      throw xml.fail(attribute + " is '" + text + "', which is no bus id such as 0000:1b:00.0");
    }
    return text.toLowerCase(Locale.ROOT);
  }

  // Checks that NVLinks between GPUs are declared at both ends.
  private void checkNvlinks() {
    for (NvlinkPlace place : nvlinks) {
      Nvlink link = place.link();
      if (link.toSwitch() || link.toCpu()) {
        continue;
      }
      if (!lineOfDevice.containsKey(link.target())) {
        throw xml.fail("<nvlink> of line " + place.line() + " leads to " + link.target()
            + ", but no <pci> has that busid");
      }
      if (nvlinks.stream().noneMatch(back -> back.gpu().equals(link.target())
          && back.link().target().equals(place.gpu()) && back.link().count() == link.count())) {
        throw xml.fail("<nvlink> of line " + place.line() + " leads to " + link.target()
            + ", but there is none of " + link.count() + " back to " + place.gpu());
      }
    }
  }

  private void checkDistinct(SystemDescription system) {
    checkDistinct("gpu", Inventory.of(system).gpus(), Gpu::dev);
    checkDistinct("net", Inventory.of(system).nets(), Net::dev);
  }

  private <T> void checkDistinct(String element, List<T> all, ToIntFunction<T> number) {
    long distinct = all.stream().mapToInt(number).distinct().count();
    if (distinct != all.size()) {
      throw xml.fail("two <" + element + "> have the same dev");
    }
  }
}
