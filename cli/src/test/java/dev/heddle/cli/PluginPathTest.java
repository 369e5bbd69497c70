package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import dev.heddle.report.JsonReport;
import dev.heddle.results.Results;
import dev.heddle.spi.LinkProvider;
import dev.heddle.spi.WorkloadProvider;
import dev.heddle.tier.TopologyProvider;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jars of third parties, built outside the build of Heddle. */
class PluginPathTest {
  private static final String LINK = """
      public final class RopeProvider implements LinkProvider<RopeProvider.Settings> {
        public record Settings(@Setting(value = "length of the rope", def = "1 us") SimTime length,
            @Setting("rate") DataRate rate) {}
        public String id() { return "rope"; }
        public String description() { return "A rope between two tins"; }
        public Class<Settings> settings() { return Settings.class; }
        public Link create(Settings settings) {
          return new Link() {
            public DataRate rate() { return settings.rate(); }
            public long latencyPs() { return settings.length().ps(); }
            public int maxPayloadBytes() { return 1024; }
            public long wirePs(int bytes, int trafficClass) { return Math.max(1, rate().wirePs(wireBytes(bytes, 0))); }
            public long wireBytes(int bytes, int trafficClass) { return bytes + 10L * packets(bytes); }
            public long headPs(int bytes, int trafficClass) { return wirePs(Math.min(bytes, 1024), 0); }
            public long ackPs(int bytes, int trafficClass) { return 0; }
            public List<Credits> credits() { return List.of(Credits.unlimited()); }
          };
        }
      }
      """;
  private static final String TOPOLOGY = """
      public final class ChainProvider implements TopologyProvider<ChainProvider.Settings> {
        public record Settings(@Setting("link between neighbours") Link link,
            @Setting(value = "how a terminal passes on", def = "{type: generic}") Switch passing,
            @Setting(value = "leaves the last terminal out, which is wrong", def = "false") boolean broken) {}
        public String id() { return "chain"; }
        public String description() { return "Terminals one after the other"; }
        public Class<Settings> settings() { return Settings.class; }
        public Topology create(Settings settings) {
          return terminals -> {
            TierPlanBuilder plan = new TierPlanBuilder(terminals);
            for (int i = 0; i + 1 < terminals.size(); i++) {
              plan.forward(i, settings.passing());
              if (!settings.broken() || i + 2 < terminals.size()) {
                plan.connect(i, i + 1, settings.link());
              }
            }
            return plan.routeByShortestPaths().build();
          };
        }
      }
      """;
  private static final String RING = """
      public final class RingProvider implements TopologyProvider<RingProvider.Settings> {
        public record Settings(@Setting("link between neighbours") Link link,
            @Setting(value = "how a switch passes on", def = "{type: generic}") Switch passing) {}
        public String id() { return "ring"; }
        public String description() { return "A ring of switches, all traffic clockwise"; }
        public Class<Settings> settings() { return Settings.class; }
        public Topology create(Settings settings) {
          return terminals -> {
            TierPlanBuilder plan = new TierPlanBuilder(terminals);
            int count = terminals.size();
            int[] switches = new int[count];
            int[] down = new int[count];
            for (int i = 0; i < count; i++) {
              switches[i] = plan.addDevice("switch" + i, DeviceKind.SWITCH, settings.passing());
              down[i] = plan.connect(switches[i], i, settings.link());
            }
            for (int i = 0; i < count; i++) {
              int right = plan.connect(switches[i], switches[(i + 1) % count], settings.link());
              for (int to = 0; to < count; to++) {
                plan.route(switches[i], to, TierPlan.channel(i == to ? down[i] : right, 0));
              }
            }
            return plan.routeByShortestPaths().build();
          };
        }
      }
      """;
  private static final String WORKLOAD = """
      public final class RelayProvider implements WorkloadProvider<RelayProvider.Settings> {
        public record Settings(@Setting(value = "payload", def = "1 KiB", max = "1 MiB") DataSize size,
            @Setting(value = "messages of a rank", def = "1", min = "1", max = "1000") int messages,
            @Setting(value = "whether every rank sends, three ranks on", def = "false") boolean shift) {}
        public String id() { return "relay"; }
        public String description() { return "The first rank sends to the last, or every rank to another"; }
        public Class<Settings> settings() { return Settings.class; }
        public Workload create(Settings settings) {
          return cluster -> WorkloadPlan.of(
              cluster.terminals(DeviceKind.ACCELERATOR), (rank, context) -> new dev.heddle.workload.Program() {
                private int left = rank == 0 || settings.shift() ? settings.messages() : 0;
                public int streams() { return 1; }
                public boolean next(int stream, dev.heddle.workload.Operation operation) {
                  if (left == 0) { return false; }
                  left--;
                  int peer = settings.shift() ? (rank + 3) % context.ranks() : context.ranks() - 1;
                  operation.generate(0, peer, settings.size().bytes(), 0);
                  return true;
                }
              });
        }
      }
      """;
  private static final String SCENARIO = """
      name: chained
      cluster:
        tiers:
          - name: node
            terminals: {accelerator: 5}
            topology: {type: chain, link: {preset: tin}}
      workload: {type: relay}
      """;

  @TempDir
  private Path folder;
  private Path plugins;
  private Path scenario;

  @BeforeEach
  void makeFolder() throws IOException {
    plugins = Files.createDirectory(folder.resolve("plugins"));
    scenario = Files.writeString(folder.resolve("chained.yaml"), SCENARIO);
  }

  private static PluginJar thirdParty() {
    return new PluginJar()
        .source("RopeProvider", LINK).provides(LinkProvider.class, "RopeProvider")
        .source("ChainProvider", TOPOLOGY).provides(TopologyProvider.class, "ChainProvider")
        .source("RelayProvider", WORKLOAD).provides(WorkloadProvider.class, "RelayProvider")
        .file("META-INF/heddle/presets.index", "tin\n")
        .file("META-INF/heddle/presets/tin.yaml",
            "description: two tins\nsource: childhood\nvalue: {type: rope, rate: 1 GB/s}\n");
  }

  private Cli run(String... args) {
    String[] all = java.util.Arrays.copyOf(args, args.length + 2);
    all[args.length] = "--plugin-path";
    all[args.length + 1] = plugins.toString();
    return Cli.run(new SimulationRunner(Ticker.systemTicker()), all);
  }

  @Test
  void shouldRunAScenarioWhenAJarIsDroppedIntoTheFolder() throws IOException {
    thirdParty().write(plugins.resolve("third.jar"));
    Cli cli = run("run", scenario.toString(), "--json");
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    Results results = JsonReport.read(cli.out());
    assertThat(results.links()).hasSize(8);
    // Latency of four links of 1 us, and 1034 bytes at 1 GB/s on the first; the others cut through.
    assertThat(results.distribution("fct").orElseThrow().count()).isEqualTo(1);
    assertThat(results.run().simulatedPs()).isBetween(5_034_000L, 5_050_000L);
  }

  @Test
  void shouldSayWhereEachPluginIsFromWhenListing() throws IOException {
    Path jar = thirdParty().write(plugins.resolve("third.jar"));
    assertThat(run("plugins").out()).contains("link/rope\n    A rope between two tins\n", "topology/chain");
    assertThat(run("plugins", "--json").out()).contains(jar.toString()).contains("com.example.RopeProvider");
    assertThat(run("describe", "rope").out()).contains("length: time (default 1 us)");
    assertThat(run("presets").out()).contains("tin\n    two tins");
    assertThat(Cli.run(new EchoRunner(), "plugins", "--plugin-path", jar.toString()).out()).contains("link/rope");
  }

  @Test
  void shouldNamePathAndTerminalWhenATopologyLeavesOneUnconnected() throws IOException {
    thirdParty().write(plugins.resolve("third.jar"));
    Cli cli = run("run", scenario.toString(), "--set", "cluster.tiers.node.topology.broken=true");
    assertThat(cli.exitCode()).isEqualTo(2);
    assertThat(cli.err()).contains("cluster.tiers[0].topology: the topology's plan is not usable: no route from"
        + " accelerator4 to accelerator0");
  }

  @Test
  void shouldExplainADeadlockWhenATopologyOfThirdPartiesRunsIntoOne() throws IOException {
    new PluginJar().source("RingProvider", RING).provides(TopologyProvider.class, "RingProvider")
        .source("RelayProvider", WORKLOAD).provides(WorkloadProvider.class, "RelayProvider")
        .write(plugins.resolve("ring.jar"));
    Files.writeString(scenario, """
        name: ring
        cluster:
          tiers:
            - name: node
              terminals: {accelerator: 5}
              topology: {type: ring, link: {type: generic, rate: 100 Gb/s, latency: 10 ns, buffer: 4 KiB}}
        workload: {type: relay, size: 4 KiB, messages: 50, shift: true}
        """);
    Cli cli = run("run", scenario.toString());
    assertThat(cli.exitCode()).as(cli.err()).isEqualTo(2);
    assertThat(cli.err())
        .contains("heddle: credit deadlock at ")
        .contains("heddle:   node.switch0 -> node.switch1, virtual channel 0")
        .contains("heddle:   node.switch4 -> node.switch0, virtual channel 0")
        .contains("add virtual channels, enlarge buffers")
        .doesNotContain("\tat ");
    assertThat(cli.out()).isEmpty();
    assertThat(run("run", scenario.toString(), "--set", "workload.shift=false").exitCode()).isZero();
  }

  @Test
  void shouldNameBothClassesAndJarsWhenTwoProvideTheSameId() throws IOException {
    Path first = new PluginJar().source("RopeProvider", LINK).provides(LinkProvider.class, "RopeProvider")
        .write(plugins.resolve("a.jar"));
    Path second =
        new PluginJar().source("Hemp", LINK.replace("RopeProvider", "Hemp")).provides(LinkProvider.class, "Hemp")
            .write(plugins.resolve("b.jar"));
    Cli cli = run("plugins");
    assertThat(cli.exitCode()).isEqualTo(2);
    assertThat(cli.err()).contains("two providers of the link 'rope'")
        .contains("com.example.RopeProvider in " + first).contains("com.example.Hemp in " + second);
  }

  @Test
  void shouldNameBothWhenAPluginTakesAnIdOfOurs() throws IOException {
    new PluginJar().source("RopeProvider", LINK.replace("\"rope\"", "\"generic\""))
        .provides(LinkProvider.class, "RopeProvider").write(plugins.resolve("a.jar"));
    assertThat(run("plugins").err()).contains("two providers of the link 'generic'")
        .contains("dev.heddle.standard.link.GenericLinkProvider").contains("com.example.RopeProvider");
  }

  @Test
  void shouldNameBothJarsWhenTwoHoldTheSamePreset() throws IOException {
    String preset = "description: d\nsource: s\nvalue: {type: generic}\n";
    for (String name : new String[] {"a.jar", "b.jar"}) {
      new PluginJar().file("META-INF/heddle/presets.index", "same").file("META-INF/heddle/presets/same.yaml", preset)
          .write(plugins.resolve(name));
    }
    Cli cli = run("presets");
    assertThat(cli.exitCode()).isEqualTo(2);
    assertThat(cli.err()).contains("two presets 'same'").contains("a.jar").contains("b.jar");
  }

  @Test
  void shouldLoadTheRestAndWarnWhenSomePluginsCannotBeUsed() throws IOException {
    thirdParty().write(plugins.resolve("good.jar"));
    Files.write(plugins.resolve("corrupt.jar"), new byte[] {1, 2, 3});
    Files.writeString(plugins.resolve("readme.txt"), "no jar");
    new PluginJar()
        .source("Gone", LINK.replace("RopeProvider", "Gone").replace("\"rope\"", "\"gone\""))
        .source("Thrower", LINK.replace("RopeProvider", "Thrower").replace("public String id",
            "public Thrower() { throw new IllegalStateException(\"no licence\"); }\npublic String id"))
        .source("Shouter", LINK.replace("RopeProvider", "Shouter").replace("\"rope\"", "\"Rope 2\""))
        .source("Bare", LINK.replace("RopeProvider", "Bare").replace("\"rope\"", "\"bare\"")
            .replace("@Setting(\"rate\") ", ""))
        .provides(LinkProvider.class, "Gone").provides(LinkProvider.class, "Thrower")
        .provides(LinkProvider.class, "Shouter").provides(LinkProvider.class, "Bare")
        .provides(TopologyProvider.class, "Shouter")
        .write(plugins.resolve("bad.jar"), "Gone");
    Cli cli = run("plugins", "--json");
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    assertThat(cli.out()).contains("\"rope\"").doesNotContain("\"gone\"").doesNotContain("\"bare\"")
        .contains("corrupt.jar: is no readable jar")
        .contains("com.example.Gone")
        .contains("no licence")
        .contains("has the id 'Rope 2'; an id is a lower-case letter")
        .contains("component 'rate' of com.example.Bare$Settings carries no @Setting");
    assertThat(run("run", scenario.toString()).err()).contains("heddle: warning:").contains("no licence");
    assertThat(run("run", scenario.toString(), "--quiet").err()).isEmpty();
  }

  @Test
  void shouldBlameThePluginWhenItFailsInItsOwnCode() throws IOException {
    new PluginJar()
        .source("Fragile", LINK.replace("RopeProvider", "Fragile").replace("\"rope\"", "\"fragile\"")
            .replace("return new Link() {", "if (settings != null) { throw new NullPointerException(\"oops\"); }\n"
                + "return new Link() {"))
        .provides(LinkProvider.class, "Fragile")
        .source("RelayProvider", WORKLOAD).provides(WorkloadProvider.class, "RelayProvider")
        .write(plugins.resolve("fragile.jar"));
    Files.writeString(scenario,
        SCENARIO.replace("chain", "star").replace("preset: tin", "type: fragile, rate: 1 GB/s"));
    Cli cli = run("run", scenario.toString());
    assertThat(cli.exitCode()).isEqualTo(70);
    assertThat(cli.err()).contains("link 'fragile' (com.example.Fragile in").contains("fragile.jar").contains("oops");
  }

  @Test
  void shouldNameTheJarWhenItsServiceFileNamesAMissingClass() throws IOException {
    Path plugins = Files.createDirectory(folder.resolve("unfinished"));
    try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(plugins.resolve("half.jar")))) {
      jar.putNextEntry(new ZipEntry("META-INF/services/" + LinkProvider.class.getName()));
      jar.write("com.example.Missing\n".getBytes(StandardCharsets.UTF_8));
    }
    Cli cli = Cli.run("run", scenario.toString(), "--plugin-path", plugins.toString());
    assertThat(cli.err()).contains("half.jar: " + LinkProvider.class.getName() + ": Provider com.example.Missing not")
        .doesNotContain("ServiceConfigurationError");
  }
}
