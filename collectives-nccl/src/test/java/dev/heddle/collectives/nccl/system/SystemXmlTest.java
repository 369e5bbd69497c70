package dev.heddle.collectives.nccl.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.collectives.nccl.Machines;
import dev.heddle.spi.InvalidSettingException;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SystemXmlTest {
  private static final String NODE = """
      <system version="1">
        <cpu host_hash="0x5ca1ab1e" numaid="0" affinity="00000000,ffffffff" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="143">
          <pci busid="0000:15:00.0" class="0x060400" vendor="0x1000" device="0xc030" subsystem_vendor="0x1000" subsystem_device="0x1003" link_speed="32.0 GT/s PCIe" link_width="16">
            <pci busid="0000:18:00.0" class="0x020700" vendor="0x15b3" device="0x1021" subsystem_vendor="0x15b3" subsystem_device="0x0041" link_speed="32.0 GT/s PCIe" link_width="16">
              <nic>
                <net name="mlx5_0" dev="0" latency="0.000000" speed="400000" port="1" guid="0x1000000000000a00" maxconn="131072" gdr="1" coll="1"/>
              </nic>
            </pci>
            <pci busid="0000:1b:00.0" class="0x030200" vendor="0x10de" device="0x2330" subsystem_vendor="0x10de" subsystem_device="0x16c1" link_speed="32.0 GT/s PCIe" link_width="16">
              <gpu dev="0" sm="90" rank="0" gdr="1">
                <nvlink target="0000:05:00.0" count="5" tclass="0x068000"/>
                <nvlink target="0000:06:00.0" count="4" tclass="0x068000"/>
                <nvlink target="0000:07:00.0" count="4" tclass="0x068000"/>
                <nvlink target="0000:08:00.0" count="5" tclass="0x068000"/>
              </gpu>
            </pci>
          </pci>
          <!-- the other units are alike -->
        </cpu>
      </system>
      """;

  private static SystemDescription read(String text) {
    return SystemXml.read("node.xml", new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void shouldHoldAllWhenFileIsRead() {
    SystemDescription system = read(NODE);

    assertThat(Inventory.of(system).gpus()).singleElement()
        .satisfies(gpu -> assertThat(gpu.nvlinks()).hasSize(4))
        .satisfies(gpu -> assertThat(gpu.sm()).isEqualTo(90));
    assertThat(Inventory.of(system).nets()).singleElement()
        .satisfies(net -> assertThat(net.megabits()).isEqualTo(400_000))
        .satisfies(net -> assertThat(net.coll()).isTrue());
    assertThat(system.cpus().get(0).model().intel()).isTrue();
  }

  @Test
  void shouldBeTheSameWhenWrittenAndReadAgain() {
    assertThat(read(SystemXml.write(read(NODE)))).isEqualTo(read(NODE));
    for (SystemDescription system : new SystemDescription[] {
        Machines.h100(), Machines.a100(), Machines.dgx1v(), Machines.pcieOnly(4, CpuModel.amd())}) {
      assertThat(read(SystemXml.write(system))).isEqualTo(system);
    }
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "version=\"1\" | version=\"2\" | node.xml:1: version is 2, but must be 1",
      "numaid=\"0\" | numa=\"0\" | node.xml:2: <cpu> lacks the attribute numaid",
      "\"x86_64\" | \"sparc\" | node.xml:2: arch is 'sparc'; it must be one of x86_64, arm64, ppc64",
      "busid=\"0000:15:00.0\" | busid=\"15\" | node.xml:3: busid is '15', which is no bus id such as 0000:1b:00.0",
      "0000:18:00.0 | 0000:15:00.0 | node.xml:4: busid 0000:15:00.0 stands on line 3 already",
      "32.0 GT/s PCIe | fast | node.xml:3: link_speed is 'fast'; it must be empty or one of 2.5, 5, 8, 16, 32, 64 GT/s",
      "sm=\"90\" | sm=\"x\" | node.xml:10: sm is 'x', which is no whole number",
      "<net | <port | node.xml:6: here must be <net>, but is <port>",
      "latency=\"0.000000\" | latency=\"-1\" | node.xml:6: latency is -1, but must be 0 to 1000000 microseconds"})
  void shouldNameFileLineAndAttributeWhenSomethingIsWrong(String part, String instead, String message) {
    assertThatThrownBy(() -> read(NODE.replaceFirst(part, instead)))
        .isInstanceOf(InvalidSettingException.class).hasMessage(message);
  }

  @Test
  void shouldRefuseWhenNvlinkLeadsNowhere() {
    String dangling = NODE.replaceFirst("0000:07:00.0\" count=\"4\" tclass=\"0x068000",
        "0000:77:00.0\" count=\"4\" tclass=\"0x030200");

    assertThatThrownBy(() -> read(dangling)).hasMessageEndingWith(
        "<nvlink> of line 13 leads to 0000:77:00.0, but no <pci> has that busid");
    String oneWay = SystemXml.write(Machines.dgx1v()).replaceFirst("<nvlink [^>]*>", "");
    assertThatThrownBy(() -> read(oneWay)).hasMessageContaining("but there is none of 1 back to");
  }

  @Test
  void shouldRefuseWhenFileIsNoTopology() {
    assertThatThrownBy(() -> read("<graphs version=\"1\"/>"))
        .hasMessage("node.xml:1: the root must be <system>, but is <graphs>");
    assertThatThrownBy(() -> read(NODE.substring(0, 900))).hasMessageContaining("is no whole, well-formed XML");
    assertThatThrownBy(() -> read("")).hasMessageContaining("is no whole, well-formed XML");
    assertThatThrownBy(() -> read("<system version=\"1\"></system>")).hasMessage("node.xml:1: <system> holds no <cpu>");
    assertThatThrownBy(() -> SystemXml.read(Path.of("no-such.xml")))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("no-such.xml: cannot be read: there is no such file");
  }

  @Test
  void shouldRefuseWhenFileHasEntities() {
    String entity =
        "<!DOCTYPE system [<!ENTITY x SYSTEM \"file:///etc/hostname\">]>\n" + NODE.replaceFirst("mlx5_0", "&x;");

    assertThatThrownBy(() -> read(entity)).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("document type declarations and entities are not allowed");
  }
}
