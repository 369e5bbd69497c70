package dev.heddle.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.heddle.fabric.Fabric;
import dev.heddle.registry.Registry;
import dev.heddle.results.SweepResults;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions.Granularity;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Precision;
import dev.heddle.spi.Processor;
import dev.heddle.units.ComputeRate;
import dev.heddle.units.SimTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScenarioReaderTest {
  private static final String GOOD =
      """
      name: small
      description: two nodes
      seed: 7
      run: {warmup: 1 us, measure: 2 us, granularity: packet}
      cluster:
        tiers:
          - name: node
            terminals: {accelerator: 4, nic: 1}
            nic: {type: generic, switching: whole-unit, latency: 100 ns}
            topology: {type: star, link: {type: generic, rate: 128 Gb/s}}
          - name: cluster
            size: 2
            topology:
              type: direct
              link: {type: generic, rate: 400 Gb/s, latency: 1 us}
      workload: {type: ping, size: 8 KiB}
      """;

  private final Registry registry = Registry.discover(ScenarioReaderTest.class.getClassLoader(), List.of());
  private final ScenarioReader reader = new ScenarioReader(registry);

  private ScenarioFile read(String text) {
    return reader.parse("test.yaml", text, Map.of());
  }

  private List<String> problems(String text, Map<String, String> overrides) {
    ScenarioException e =
        catchThrowableOfType(ScenarioException.class, () -> reader.parse("test.yaml", text, overrides));
    assertThat(e).as("the scenario must be refused").isNotNull();
    return e.problems().stream().map(Problem::toString).toList();
  }

  private List<String> problems(String text) {
    return problems(text, Map.of());
  }

  @Test
  void shouldBindARecordWhenItIsNoScenario() {
    Processor cpu =
        reader.record(Processor.class, "cpu.yaml", "{name: a CPU, vendor: intel, architecture: skylake, cores: 28}");
    assertThat(cpu.name()).isEqualTo("a CPU");
    ScenarioException e = catchThrowableOfType(
        ScenarioException.class,
        () -> reader.record(Processor.class, "cpu.yaml", "{name: a CPU, cores: {preset: none}}"));
    assertThat(e.problems().stream().map(Problem::toString)).anySatisfy(
        problem -> assertThat(problem).contains("cpu.yaml").contains("none"));
  }

  @Test
  void shouldBindEverySettingWhenScenarioIsGood() {
    ScenarioFile file = read(GOOD);
    assertThat(file.swept()).isFalse();
    Scenario scenario = file.points().get(0).scenario();
    assertThat(scenario.seed()).isEqualTo(7);
    assertThat(scenario.options().warmup()).isEqualTo(SimTime.parse("1 us"));
    assertThat(scenario.options().granularity()).isEqualTo(Granularity.PACKET);
    assertThat(scenario.options().burst().bytes()).isEqualTo(4096);
    assertThat(scenario.tiers().get(0).terminals()).containsExactly(
        Map.entry(DeviceKind.ACCELERATOR, 4), Map.entry(DeviceKind.NIC, 1));
    assertThat(scenario.fabric().terminals()).isEqualTo(10);
    assertThat(scenario.simulation().name()).isEqualTo("small");
  }

  private static final String HARDWARE =
      """
          accelerator:
            name: A100
            vendor: nvidia
            architecture: ampere
            compute-capability: 80
            compute-units: 108
            memory: 40 GiB
            memory-bandwidth: 1555 GB/s
            peak: {fp64: 9.7 Tflop/s, fp64-matrix: 19.5 Tflop/s}
          cpu: {name: EPYC 7742, vendor: amd, architecture: rome, cores: 64}
      """.indent(2);

  private static String described(String hardware) {
    return GOOD.replace("nic: 1}\n", "nic: 1, cpu: 1}\n" + hardware);
  }

  @Test
  void shouldSayWhatAcceleratorsAndProcessorsAreWhenANodeDescribesThem() {
    Fabric fabric = read(described(HARDWARE)).points().get(0).scenario().fabric();
    Accelerator accelerator = fabric.accelerator(6).orElseThrow();
    assertThat(accelerator.computeCapability()).isEqualTo(80);
    assertThat(accelerator.peak()).containsExactly(
        Map.entry(Precision.FP64, ComputeRate.parse("9.7 Tflop/s")),
        Map.entry(Precision.FP64_MATRIX, ComputeRate.parse("19.5 Tflop/s")));
    assertThat(fabric.processor(5).orElseThrow().instructionSet()).isEqualTo(Processor.InstructionSet.X86);
    assertThat(read(GOOD).points().get(0).scenario().fabric().accelerator(0)).isEmpty();
  }

  @Test
  void shouldRefuseHardwareThatIsWrongOrNotThere() {
    assertThat(problems(described(HARDWARE.replace("9.7 Tflop/s", "9.7 TB/s"))))
        .anySatisfy(problem -> assertThat(problem).contains(
            "peak.fp64: 'TB/s' is not a unit of compute rate (in '9.7 TB/s'); use one of flop/s"));
    assertThat(problems(described(HARDWARE.replace("vendor: nvidia", "vendor: nvidea"))))
        .anySatisfy(problem -> assertThat(problem).contains("did you mean 'nvidia'?"));
    assertThat(problems(described(HARDWARE).replace("accelerator: 4, ", "")))
        .anySatisfy(problem -> assertThat(problem).contains(
            "cluster.tiers[0].accelerator: describes devices that the tier does not have"));
    assertThat(problems(GOOD.replace("size: 2", "cpu: {name: x, vendor: amd, architecture: rome, cores: 1}")))
        .anySatisfy(problem -> assertThat(problem).contains(
            "cluster.tiers[1].cpu: only the innermost tier has devices to describe"));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
      128 Gb/s        | 128 GBs  | test.yaml:10: cluster.tiers[0].topology.link.rate: 'GBs' is not a unit of rate (in '128 GBs'); use one of
      128 Gb/s        | 128      | test.yaml:10: cluster.tiers[0].topology.link.rate: '128' has no unit; a rate needs one of
      128 Gb/s        | 0 Gb/s   | test.yaml:10: cluster.tiers[0].topology.link.rate: '0 Gb/s' is not above 0; a rate must be positive
      128 Gb/s        | -5 Gb/s  | test.yaml:10: cluster.tiers[0].topology.link.rate: '-5 Gb/s'
      128 Gb/s        | [1 Gb/s] | test.yaml:10: cluster.tiers[0].topology.link.rate: must be a rate, but is [1 Gb/s]
      type: ping      | type: [ping] | test.yaml:16: workload.type: is [ping]; write the id of a workload, one of
      granularity: packet | granularity: {a: 1} | test.yaml:4: run.granularity: must be one of packet, burst, but is {a: 1}
      granularity: packet | partitions: [1] | test.yaml:4: run.partitions: must be an integer, but is [1]
      accelerator: 4  | accelerator: [4] | cluster.tiers[0].terminals.accelerator: must be an integer, but is [4]
      type: ping      | preset: [a] | test.yaml:16: workload.preset: must be the id of a preset, but is [a]
      latency: 1 us   | latncy: 1 us | test.yaml:15: cluster.tiers[1].topology.link.latncy: unknown key 'latncy'; allowed are rate, latency
      latency: 1 us   | latency: 3 B | test.yaml:15: cluster.tiers[1].topology.link.latency: 'B' is not a unit of time
      type: star      | type: sart | test.yaml:10: cluster.tiers[0].topology.type: no topology is called 'sart'; there are direct, star
      whole-unit      | whole-uint | test.yaml:9: cluster.tiers[0].nic.switching: 'whole-uint' is not allowed; write one of cut-through
      size: 8 KiB     | size: 2 MiB | test.yaml:16: workload.size: '2 MiB' is above the most allowed, 1 MiB
      size: 8 KiB     | size:     | test.yaml:16: workload.size: has no value; a size is needed: payload
      type: ping      | kind: ping | test.yaml:16: workload.type: is missing; write the id of a workload, one of collective, concurrent, ping
      granularity: packet | partitions: | test.yaml:4: run.partitions: has no value; an integer is needed: parts
      granularity: packet | partitions: 1.5 | test.yaml:4: run.partitions: '1.5' is no whole number
      seed: 7         | fidelity: pakcet | test.yaml:3: fidelity: no network-model is called 'pakcet'; there are analytic, flow, packet; did you mean 'packet'?
      seed: 7         | sead: 7  | test.yaml:3: sead: unknown key 'sead'; allowed are name, description, seed
      accelerator: 4  | acelerator: 4 | cluster.tiers[0].terminals.acelerator: 'acelerator' is not allowed; write one of accelerator
      accelerator: 4  | accelerator: 0 | cluster.tiers[0].terminals.accelerator: '0' is below the least allowed, 1
      ", nic: 1"      | ""       | cluster.tiers[0].terminals: has no nic, but the tier 'cluster' joins
      name: cluster   | name: node | cluster.tiers[1].name: two tiers are called 'node'
      size: 2         | terminals: {cpu: 1} | cluster.tiers[1].terminals: only the innermost tier has terminals
      name: small     | name: ../x | test.yaml:1: name: '../x' cannot name a folder
      measure: 2 us   | measure: 0 s | run.measure: the measured window must be longer than 0 s
      size: 2         | size: 1000000 | cluster.tiers: the cluster would have 5000000 terminals
      """)
  void shouldNameFileLinePathValueAndAllowedWhenAValueIsWrong(String good, String bad, String message) {
    assertThat(GOOD).contains(good);
    assertThat(problems(GOOD.replaceFirst(java.util.regex.Pattern.quote(good), bad == null ? "" : bad)))
        .anySatisfy(problem -> assertThat(problem).contains(message));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      latency: 1 us   | latncy: 1 us | did you mean 'latency'?
      type: star      | type: sart   | did you mean 'star'?
      whole-unit      | whole-uint   | did you mean 'whole-unit'?
      seed: 7         | sead: 7      | did you mean 'seed'?
      type: ping      | type: pnig   | did you mean 'ping'?
      type: star      | typ: star    | there is 'typ', did you mean 'type'?
      """)
  void shouldSuggestTheNearestWhenANameIsMisspelt(String good, String bad, String hint) {
    assertThat(problems(GOOD.replace(good, bad))).anySatisfy(problem -> assertThat(problem).contains(hint));
  }

  @Test
  void shouldReportAllProblemsTogetherWhenThereAreSeveral() {
    String bad = GOOD.replace("128 Gb/s", "128").replace("size: 8 KiB", "sise: 8 KiB").replace("1 us,", "1 parsec,");
    assertThat(problems(bad)).hasSize(3)
        .anySatisfy(problem -> assertThat(problem).contains("run.warmup"))
        .anySatisfy(problem -> assertThat(problem).contains("link.rate"))
        .anySatisfy(problem -> assertThat(problem).contains("workload.sise"));
  }

  @Test
  void shouldNameEachMissingKeyWhenKeysAreMissing() {
    assertThat(problems("description: nothing")).hasSize(3)
        .anySatisfy(problem -> assertThat(problem).contains("name: is missing"))
        .anySatisfy(problem -> assertThat(problem).contains("cluster: is missing"))
        .anySatisfy(problem -> assertThat(problem).contains("workload: is missing"));
  }

  @Test
  void shouldMapAProvidersRefusalToTheComponentWhenSettingsDoNotFitTogether() {
    String bad = GOOD.replace("size: 8 KiB", "sizes: [1 B, 2 B, 3 B, 4 B]");
    assertThat(problems(bad)).containsExactly("test.yaml:16: workload.sizes: 4 sizes; at most 3");
  }

  @Test
  void shouldMapATopologysRefusalToItsPathWhenItCannotConnectItsTerminals() {
    String bad = GOOD.replace("link: {type: generic, rate: 128 Gb/s}",
        "link: {type: generic, rate: 128 Gb/s}, links: {cpu: {type: generic, rate: 1 Gb/s}}");
    assertThat(problems(bad)).singleElement().asString()
        .startsWith("test.yaml:10: cluster.tiers[0].topology.links: no terminal is of kind 'cpu'");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      ''                        | test.yaml:1: collectives: ring does not do all_to_all
      'collectives: {type: halving-doubling}' | test.yaml:17: collectives: halving-doubling does not do all_to_all
      """)
  void shouldMapAnAlgorithmsRefusalToItsPathWhenItCannotDoACollective(String collectives, String message) {
    String text = GOOD.replace("{type: ping, size: 8 KiB}", "{type: collective, op: all_to_all, size: 1 MiB}")
        .replace("measure: 2 us, ", "").replace("warmup: 1 us, ", "") + collectives;
    Simulation simulation = read(text).points().get(0).scenario().simulation();
    for (Fidelity fidelity : Fidelity.values()) {
      ScenarioException e = catchThrowableOfType(ScenarioException.class, () -> simulation.at(fidelity).run());
      assertThat(e).as("%s", fidelity).isNotNull();
      assertThat(e.problems()).singleElement().asString().startsWith(message);
    }
  }

  @Test
  void shouldSayWhatTheWorkloadLacksWhenTheClusterIsTooSmall() {
    String bad = GOOD.replace("accelerator: 4, nic: 1", "nic: 1").replace("size: 2", "size: 1");
    assertThat(problems(bad)).anySatisfy(
        problem -> assertThat(problem).contains("workload: the cluster has fewer than two accelerators"));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      'a: &n x\nb: *n'           | anchors and aliases
      'a: &n [x]'               | anchors and aliases
      'a: !!java.net.URL [x]'   | tags
      'a: {<<: {b: 1}}'         | merge keys
      'a: 1\\na: 2'             | test.yaml:2: the key 'a' is given twice
      'a: 1\\n---\\nb: 2'       | a second document begins here
      'a: [1, 2'                | is no valid YAML, or cut off
      'a: "x'                   | is no valid YAML, or cut off
      '\\t- a'                  | is no valid YAML, or cut off
      'a: {b: c/{rank}.et}'     | a value with { or } needs quotes, as in 'trace.{rank}.et'
      '- 1'                     | a scenario is a mapping
      '# nothing'               | the file is empty
      ''                        | the file is empty
      """)
  void shouldRefuseWhatAScenarioNeverNeedsWhenYamlIsBadOrHostile(String text, String message) {
    assertThat(problems(text.replace("\\n", "\n").replace("\\t", "\t")))
        .singleElement().asString().contains(message);
  }

  @Test
  void shouldRefuseQuicklyWhenYamlIsABomb() {
    StringBuilder laughs = new StringBuilder("a0: &a0 [x, x]\n");
    for (int i = 1; i < 30; i++) {
      laughs.append("a").append(i).append(": &a").append(i).append(" [*a").append(i - 1).append(", *a").append(i - 1)
          .append("]\n");
    }
    assertThat(problems(laughs.toString())).singleElement().asString().contains("anchors and aliases");
    assertThat(problems("a: " + "[".repeat(100_000))).singleElement().asString().contains("nested deeper than 40");
    assertThat(problems("a: " + "x".repeat(YamlReader.MAX_BYTES))).singleElement().asString().contains("at most");
  }

  @Test
  void shouldSayWhyWhenAFileCannotBeRead(@TempDir Path folder) throws IOException {
    Path binary = Files.write(folder.resolve("binary.yaml"), new byte[] {(byte) 0xC3, 0x28, 0, 1});
    Path large = Files.write(folder.resolve("large.yaml"), new byte[YamlReader.MAX_BYTES + 1]);
    assertThat(refusal(folder.resolve("none.yaml"))).contains("none.yaml: cannot be read: there is no such file");
    assertThat(refusal(folder)).contains("it is a folder");
    assertThat(refusal(binary)).contains("is no text of UTF-8");
    assertThat(refusal(large)).contains("at most 1048576 are read");
  }

  @Test
  void shouldRefuseWithAMessageWhenAFileIsCutOffAnywhere(@TempDir Path folder) throws IOException {
    byte[] whole = GOOD.getBytes(StandardCharsets.UTF_8);
    int refused = 0;
    for (int length = 0; length < whole.length; length += 7) {
      Path cut = Files.write(folder.resolve("cut.yaml"), java.util.Arrays.copyOf(whole, length));
      try {
        reader.read(cut, Map.of());
      } catch (ScenarioException e) {
        assertThat(e.problems()).isNotEmpty();
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(whole.length / 7 - 5);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void shouldAcceptOrRefuseButNeverFailWhenAScenarioIsGarbled(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 60; round++) {
      StringBuilder text = new StringBuilder(GOOD);
      for (int edit = 0; edit < 1 + random.nextInt(4); edit++) {
        int at = random.nextInt(text.length());
        text.setCharAt(at, ":{}[]-#&*!|>'\"%@` \n09az".charAt(random.nextInt(23)));
      }
      try {
        read(text.toString());
      } catch (ScenarioException e) {
        assertThat(e.problems()).as("seed %s, text %s", seed, text).isNotEmpty();
      }
    }
  }

  private String refusal(Path file) {
    return String.valueOf(
        catchThrowableOfType(ScenarioException.class, () -> reader.read(file, Map.of())).getMessage());
  }

  @Test
  void shouldMergeBelowTheOtherKeysWhenAPresetIsNamed() {
    String text = """
        name: p
        cluster:
          tiers:
            - preset: test-node
              topology: {link: {latency: 30 ns}}
        workload: {type: ping}
        """;
    Scenario scenario = read(text).points().get(0).scenario();
    assertThat(scenario.tiers().get(0).name()).isEqualTo("node");
    assertThat(scenario.fabric().injectionLink(0).latencyPs()).isEqualTo(30_000);
    assertThat(scenario.fabric().injectionLink(0).rate().bitsPerSecond()).isEqualTo(100_000_000_000L);
  }

  @Test
  void shouldReachIntoAPresetWhenOverridden() {
    String text = "name: p\ncluster: {tiers: [{preset: test-node}]}\nworkload: {type: ping}\n";
    ScenarioFile file = reader.parse("p.yaml", text, Map.of("cluster.tiers.node.topology.link.rate", "50 Gb/s"));
    assertThat(file.points().get(0).scenario().fabric().injectionLink(0).rate().bitsPerSecond())
        .isEqualTo(50_000_000_000L);
  }

  @ParameterizedTest
  @ValueSource(strings = {
      "cluster: {tiers: [{preset: test-node}]}",
      "cluster: {tiers: [{preset: test-node, topology: {link: {latency: 9 ns}}}]}",
      "cluster: {tiers: [{name: other, topology: {link: {preset: test-link}}, preset: test-node}]}"})
  void shouldReplaceAPresetWithinAPresetWhenOverridden(String cluster) {
    String text = "name: p\n" + cluster + "\nworkload: {type: ping}\n";
    for (String value : List.of("cluster.tiers[0].topology.link.preset=test-fast",
        "cluster.tiers[0].topology.link={preset: test-fast}")) {
      Map<String, String> set = Map.of(value.split("=")[0], value.split("=")[1]);
      assertThat(reader.parse("p.yaml", text, set).points().get(0).scenario().fabric().injectionLink(0).rate()
          .bitsPerSecond()).as(value).isEqualTo(400_000_000_000L);
    }
  }

  @Test
  void shouldNameTheNearestWhenAPresetIsUnknown() {
    assertThat(problems("name: p\ncluster: {tiers: [{preset: test-nod}]}\nworkload: {type: ping}\n"))
        .singleElement().asString()
        .contains(
            "cluster.tiers[0].preset: no preset is called 'test-nod'; there are test-fast, test-link, test-loop,"
                + " test-node; did you mean 'test-node'?");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "test-node | is a node, not a cluster; write {tiers: [{preset: test-node}]} for a cluster of one",
      "test-link | is a link, not a cluster; 'heddle presets --kind cluster' lists those"})
  void shouldNameTheKindWhenTheClusterIsAPresetOfAnother(String preset, String message) {
    assertThat(problems("name: p\ncluster: {preset: " + preset + "}\nworkload: {type: ping}\n"))
        .singleElement().asString().endsWith("cluster.preset: the preset " + preset + " " + message);
  }

  @Test
  void shouldRefuseWhenAPresetContainsItself() {
    assertThat(problems("name: p\nworkload: {preset: test-loop}\n")).singleElement().asString()
        .contains("the preset 'test-loop' contains itself");
  }

  @Test
  void shouldRunTheLastAxisFastestWhenSwept() {
    String swept = GOOD + """
        sweep:
          cluster.tiers.node.topology.link.rate: [128 Gb/s, 256 Gb/s]
          workload.load: {from: 5 %, to: 100 %, steps: 20, label: offered load}
        report:
          plots: [{title: t, metric: fct, x: workload.load, panels: cluster.tiers.node.topology.link.rate}]
        """;
    ScenarioFile file = read(swept);
    assertThat(file.points()).hasSize(40);
    assertThat(file.axes()).extracting(SweepResults.Axis::label).containsExactly("rate", "offered load");
    assertThat(file.axes().get(1).values()).startsWith("5 %", "10 %").endsWith("95 %", "100 %").hasSize(20);
    assertThat(file.points().get(1).parameters())
        .containsExactly(
            Map.entry("cluster.tiers.node.topology.link.rate", "128 Gb/s"), Map.entry("workload.load", "10 %"));
    assertThat(file.points().get(20).scenario().fabric().injectionLink(0).rate().bitsPerSecond())
        .isEqualTo(256_000_000_000L);
    assertThat(file.points()).extracting(ScenarioFile.Point::key).doesNotHaveDuplicates();
    assertThat(file.plots()).containsExactly(
        new SweepResults.Plot("t", "fct", "workload.load", "", "cluster.tiers.node.topology.link.rate", false));
  }

  @Test
  void shouldPinTheAxisWhenItIsOverridden() {
    String swept = GOOD + "sweep: {workload.load: [10 %, 20 %], seed: [1, 2, 3]}\n"
        + "report: {plots: [{title: t, metric: m, x: seed, series: workload.load}]}\n";
    ScenarioFile file = reader.parse("s.yaml", swept, Map.of("workload.load", "30 %"));
    assertThat(file.points()).hasSize(3);
    assertThat(file.plots()).containsExactly(new SweepResults.Plot("t", "m", "seed", "", "", false));
  }

  @Test
  void shouldCallStepsByTheirNamesWhenAnAxisGivesThem() {
    String swept = GOOD + """
        sweep:
          workload.load: {values: [10 %, 20 %], names: [little, more]}
        report: {rankings: [{title: t, metric: fct}]}
        """;
    ScenarioFile file = read(swept);
    assertThat(file.axes().get(0).values()).containsExactly("little", "more");
    assertThat(file.points()).extracting(ScenarioFile.Point::parameters)
        .containsExactly(Map.of("workload.load", "little"), Map.of("workload.load", "more"));
    assertThat(file.rankings()).containsExactly(new SweepResults.Ranking("t", "fct"));
    for (String names : List.of("[little]", "[little, little]", "few")) {
      assertThat(problems(swept.replace("[little, more]", names))).singleElement().asString()
          .contains("names must be a list of 2 different names, one for each value");
    }
  }

  @Test
  void shouldSetSeveralFieldsTogetherWhenAnAxisNamesThem() {
    ScenarioFile file = read(GOOD + "sweep: {'cluster.tiers.cluster.size, workload.size': [[2, 1 KiB], [3, 2 KiB]]}\n");
    assertThat(file.points()).hasSize(2);
    assertThat(file.points().get(1).scenario().fabric().nodes()).isEqualTo(3);
    assertThat(file.axes().get(0).values()).containsExactly("2, 1 KiB", "3, 2 KiB");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      {workload.laod: [1 %]}              | workload.laod: unknown key 'laod'
      {workload.load: 5 %}                | sweep.workload.load: an axis is a list of values
      {workload.load: []}                 | needs at least one value
      {workload.load: [5 %, 5 %]}         | the value 5 % is listed twice
      {workload.load: [5 %, 500 %]}       | workload.load: '500 %' is above the most allowed, 100 %
      {workload.load: [5 %, 90]}          | workload.load: '90' is above the most allowed, 100 %; without % it is 9000 %
      {workload.load: {from: 5 %, to: 1, steps: 3}} | from and to must have the same unit
      {workload.load: {from: 5 %, to: 10 %}} | a range needs steps
      {workload.load: {form: 5 %, to: 10 %, steps: 2}} | unknown key 'form'
      {cluster.tiers.nod.size: [1]}       | has no element 'nod'; it has 2, named node, cluster
      {'seed,workload.load': [[1, 5 %], [2]]} | each value must be a list of 2, but one is [2]
      {seed: {from: 1, to: 99999, steps: 99999}, workload.load: [1 %, 2 %]} | sweep: has more than 100000 points
      """)
  void shouldRefuseBeforeAnyPointRunsWhenTheSweepIsWrong(String sweep, String message) {
    assertThat(problems(GOOD + "sweep: " + sweep + "\n")).anySatisfy(
        problem -> assertThat(problem).contains(message));
  }

  @Test
  void shouldNameTheAxesWhenAPlotNamesNone() {
    String swept =
        GOOD + "sweep: {workload.load: [10 %]}\nreport: {plots: [{title: t, metric: m, x: workload.laod}]}\n";
    assertThat(problems(swept)).singleElement().asString()
        .contains("report.plots[0].x: 'workload.laod' is no axis of the sweep")
        .contains("did you mean 'workload.load'?");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      workload.size   | 3 parsec | --set workload.size:1: workload.size: 'parsec' is not a unit of size
      workload.size   | ''       | --set workload.size: the value is missing; give one, or leave the option out
      run.trace       | '[0, 999]' | --set run.trace:1: run.trace[1]: rank 999 is not of the run's
      run.link-series | '[nolink]' | --set run.link-series:1: run.link-series[0]: no link is called 'nolink'
      workload.zise   | 1 B      | --set workload.zise:1: workload.zise: unknown key 'zise'
      workload..size  | 1 B      | 'workload..size' is no path
      seed.x          | 1        | 'seed' is the value 7 and has no 'x'
      cluster.tiers[5].size | 1  | 'cluster.tiers' has no element '5'
      """)
  void shouldNameTheOptionWhenAnOverrideIsWrong(String path, String value, String message) {
    assertThat(problems(GOOD, Map.of(path, value))).anySatisfy(problem -> assertThat(problem).contains(message));
  }

  @Test
  void shouldKeepTheHashWhenOnlyWordsForPeopleChange() {
    ScenarioFile file = read(GOOD);
    assertThat(read(GOOD.replace("two nodes", "other words")).hash()).isEqualTo(file.hash());
    assertThat(read(GOOD.replace("seed: 7", "seed: 8")).hash()).isNotEqualTo(file.hash());
  }
}
