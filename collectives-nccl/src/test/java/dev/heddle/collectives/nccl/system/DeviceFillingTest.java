package dev.heddle.collectives.nccl.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.collectives.nccl.Machines;
import dev.heddle.collectives.nccl.system.NcclTopologyProvider.Gpus;
import dev.heddle.collectives.nccl.system.NcclTopologyProvider.Settings;
import dev.heddle.collectives.nccl.system.NcclTopologyProvider.Wire;
import dev.heddle.collectives.nccl.system.SystemDescription.Gpu;
import dev.heddle.collectives.nccl.system.SystemDescription.Net;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Switch;
import dev.heddle.spi.Terminal;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.tier.TierPlan;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files in the form of those that clouds ship for NCCL_TOPO_FILE, and their completion. */
class DeviceFillingTest {
  // Bus domains of a node's GPUs per socket and PCIe switch, as Azure's ndv5 and ndv4 files order them, and AWS' buses.
  private static final String ND_H100_V5 = file("AMD", 25, "32.0 GT/s PCIe", "0x020700",
      "1/101 2/102 3/103 8/104", "9/105 a/106 b/107 c/108");
  private static final String ND_A100_V4 = file("AMD", 23, "16 GT/s", "0x020700",
      "3,4/103,104", "1,2/101,102", "d,e/107,108", "b,c/105,106");
  private static final String P4D = file("Intel", 6, "8 GT/s", "0x020000",
      "11c,11d/11b 21c,21d/21b", "91c,91d/91b a1c,a1d/a1b");

  // A file with a socket per text; in it a PCIe switch per word, with the domains of its GPUs and its NICs.
  private static String file(String vendor, int family, String speed, String nicClass, String... sockets) {
    StringBuilder text = new StringBuilder("<system version=\"1\">\n");
    int bridge = 0;
    for (int i = 0; i < sockets.length; i++) {
      text.append(String.format(Locale.ROOT, "<cpu numaid=\"%d\" affinity=\"ff\" arch=\"x86_64\" vendor=\"%s\""
          + " familyid=\"%d\" modelid=\"1\">%n", i, vendor.equals("AMD") ? "AuthenticAMD" : "GenuineIntel", family));
      for (String word : sockets[i].split(" ")) {
        text.append(pci(String.format(Locale.ROOT, "ffff:ff:%02x.0", ++bridge), "0x060400", speed)).append(">\n");
        String[] kinds = word.split("/");
        for (String gpu : kinds[0].split(",")) {
          text.append(pci(domain(gpu), "0x030200", speed)).append("/>\n");
        }
        for (String nic : kinds[1].split(",")) {
          text.append(pci(domain(nic), nicClass, speed)).append("/>\n");
        }
        text.append("</pci>\n");
      }
      text.append("</cpu>\n");
    }
    return text.append("</system>\n").toString();
  }

  private static String pci(String busId, String type, String speed) {
    return "<pci busid=\"" + busId + "\" class=\"" + type + "\" link_speed=\"" + speed + "\" link_width=\"16\"";
  }

  private static String domain(String number) {
    return "0".repeat(4 - number.length()) + number + ":00:00.0";
  }

  private static SystemDescription read(String text) {
    return SystemXml.read("topo.xml", new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static List<List<Integer>> gpusBySocket(SystemDescription system) {
    return system.cpus().stream()
        .map(cpu -> Inventory.of(new SystemDescription(List.of(cpu))).gpus().stream().map(Gpu::dev).toList()).toList();
  }

  private static List<List<Integer>> nicsBySocket(SystemDescription system) {
    return system.cpus().stream()
        .map(cpu -> Inventory.of(new SystemDescription(List.of(cpu))).nets().stream().map(Net::dev).toList()).toList();
  }

  // nvidia-smi of an ND A100 v4 shows GPUs 0 and 1 on NUMA node 1, and 2 and 3 on NUMA node 0.
  @Test
  void shouldNumberGpusByBusIdWhenFileHasClassesAlone() {
    assertThat(gpusBySocket(DeviceFilling.complete(read(ND_A100_V4), 80, 12)))
        .containsExactly(List.of(2, 3), List.of(0, 1), List.of(6, 7), List.of(4, 5));
    assertThat(nicsBySocket(DeviceFilling.complete(read(ND_A100_V4), 80, 12)))
        .containsExactly(List.of(2, 3), List.of(0, 1), List.of(6, 7), List.of(4, 5));
    assertThat(gpusBySocket(DeviceFilling.complete(read(ND_H100_V5), 90, 18)))
        .containsExactly(List.of(0, 1, 2, 3), List.of(4, 5, 6, 7));
    SystemDescription p4d = DeviceFilling.complete(read(P4D), 80, 12);
    assertThat(gpusBySocket(p4d)).containsExactly(List.of(0, 1, 2, 3), List.of(4, 5, 6, 7));
    assertThat(nicsBySocket(p4d)).containsExactly(List.of(0, 1), List.of(2, 3));
  }

  @Test
  void shouldTakeWhatTheMachineHasWhenCompletedByIt() {
    SystemDescription completed = DeviceFilling.complete(read(ND_H100_V5), Machines.h100());

    assertThat(Inventory.of(completed).gpus()).hasSize(8).allSatisfy(gpu -> {
      assertThat(gpu.sm()).isEqualTo(90);
      assertThat(gpu.nvlinks()).singleElement().satisfies(link -> assertThat(link.count()).isEqualTo(18));
    });
    assertThat(Inventory.of(completed).nets()).hasSize(8)
        .allSatisfy(net -> assertThat(net.megabits()).isEqualTo(400_000));
    assertThat(DeviceFilling.isPartial(completed)).isFalse();
  }

  // The hybrid cube mesh of a V100 machine: NVLinks lead to the file's bus ids, in both directions.
  @Test
  void shouldJoinGpusOfTheFileWhenMachineHasDirectNvlinks() {
    String text = file("Intel", 6, "16 GT/s", "0x020700", "1,2,3,4/101", "5,6,7,8/102");
    SystemDescription completed = DeviceFilling.complete(read(text), Machines.dgx1v());

    assertThat(read(SystemXml.write(completed))).isEqualTo(completed);
    assertThat(Inventory.of(completed).gpus()).allSatisfy(gpu -> {
      assertThat(gpu.nvlinks().stream().mapToInt(link -> link.count()).sum()).isEqualTo(6);
      assertThat(gpu.nvlinks()).allSatisfy(link -> assertThat(link.target()).matches("000[1-8]:00:00\\.0"));
    });
  }

  @Test
  void shouldAddNvlinksAloneWhenFileHasGpusWithoutThem() {
    String text = file("AMD", 25, "16 GT/s", "0x020000", "1/101", "2/102")
        .replaceFirst("(busid=\"0001:00:00.0\".*?)/>", "$1><gpu dev=\"0\" sm=\"90\" rank=\"0\" gdr=\"1\"/></pci>");
    SystemDescription completed = DeviceFilling.complete(read(text), 100, 18);

    assertThat(Inventory.of(completed).gpus()).extracting(Gpu::sm).containsExactly(90, 100);
    assertThat(Inventory.of(completed).gpus())
        .allSatisfy(gpu -> assertThat(gpu.nvlinks()).singleElement().satisfies(link -> assertThat(link.toSwitch())
            .isTrue()));
  }

  @Test
  void shouldMakeANodeWhenGpusAreStated(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("topo.xml"), P4D);
    List<Terminal> terminals = new ArrayList<>(Fabrics.terminals(DeviceKind.ACCELERATOR, 8));
    for (int i = 0; i < 4; i++) {
      terminals.add(new Terminal("nic" + i, DeviceKind.NIC, true));
    }
    terminals.addAll(Fabrics.terminals(DeviceKind.CPU, 2));
    TierPlan plan = new NcclTopologyProvider().create(settings(file, Optional.of(new Gpus(80, 12)))).plan(terminals);

    int link = TierPlan.linkOf(plan.candidates(0, 7)[0]);
    assertThat(plan.linkModel(link).rate()).isEqualTo(DataRate.parse("300 GB/s"));
    int bus = TierPlan.linkOf(plan.candidates(0, 8)[0]);
    assertThat(plan.name(plan.linkTarget(bus))).isEqualTo("pcie-switch0");
    assertThatThrownBy(() -> new NcclTopologyProvider().create(settings(file, Optional.empty())))
        .hasMessage("is missing: " + file + " gives GPUs or NICs by their PCI class alone, as files for"
            + " NCCL_TOPO_FILE do; state the GPUs, such as gpus: {sm: 90, nvlinks: 18}");
  }

  @Test
  void shouldSayWhereTheRestIsWhenFileHasBusIdsAlone() {
    assertThatThrownBy(
        () -> read("<system version=\"1\"><cpu numaid=\"0\"><pci busid=\"0000:00:16.0\"/></cpu></system>"))
        .hasMessage("topo.xml:1: <cpu> lacks the attribute arch; a file of bus ids alone is completed by NCCL from the"
            + " machine's sysfs: write the whole with NCCL_TOPO_DUMP_FILE there");
  }

  private static Settings settings(Path file, Optional<Gpus> gpus) {
    Switch forwarding = Fabrics.virtualOutputSwitch();
    Wire wire = new Wire(DataSize.ofBytes(24), SimTime.parse("100 ns"), DataSize.ofBytes(256));
    return new Settings(file, gpus, wire, wire, forwarding, forwarding, forwarding, Fabrics.link("20 GB/s"),
        forwarding);
  }
}
