package dev.heddle.verification;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.library.GeneralCodingRules;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
  private static final String BASE = "dev.heddle.";
  private static final int LEAST_CLASSES = 150;
  private static final List<String> HOT =
      List.of(BASE + "engine..", BASE + "network.packet..", BASE + "network.flow..");
  private static final List<String> EDGE =
      List.of("batch", "cli", "cli-export", "cli-kernels", "cli-nccl", "cli-hpl", "cli-sweep", "cli-train", "service",
          "site",
          "bench", "verification", "docs", "dist");

  /** Classes of hot packages that run before the first event, after the last, or once for a rank's collective. */
  private static final Set<String> BEFORE_AND_AFTER = Set.of(
      "CallTable", "CollectiveGroups", "CollectiveLog", "ConservationCheck", "CoupledCollectives", "CoupledFlow",
      "DeadlockReport", "FabricDivision", "FlowPlan", "FootprintTracer", "IdleFabric", "IsolatedSimulation", "Job",
      "LinkLoad", "MemoizedCollectives", "NetworkPlan", "PacketNetwork", "RunContext", "SteppedCollectives");

  private static final Reactor REACTOR = Reactor.read();

  /** Packages that a package of core or engine may use; every package must be listed. */
  private static final Map<String, Set<String>> ORDER = order();

  private static Map<String, Set<String>> order() {
    Map<String, Set<String>> order = new LinkedHashMap<>();
    order.put("units", Set.of());
    order.put("results", Set.of("units"));
    order.put("collective", Set.of("units"));
    order.put("workload", Set.of("units", "collective"));
    order.put("spi", Set.of("units", "results", "workload", "collective"));
    order.put("tier", Set.of("units", "spi"));
    order.put("registry", Set.of("units", "spi", "tier"));
    Set<String> core = Set.copyOf(order.keySet());
    order.put("internal.collect", core);
    order.put("observe", core);
    order.put("fabric", core);
    order.put("engine", with(core, "internal.collect", "observe", "fabric"));
    Set<String> networks = with(core, "internal.collect", "observe", "fabric", "engine", "network");
    order.put("network", networks);
    order.put("network.packet", networks);
    order.put("network.flow", networks);
    order.put("network.analytic", with(networks, "network.flow"));
    order.put("sim", with(networks, "network.packet", "network.flow", "network.analytic"));
    return order;
  }

  private static Set<String> with(Set<String> packages, String... more) {
    Set<String> joined = new TreeSet<>(packages);
    joined.addAll(List.of(more));
    return joined;
  }

  @Test
  void shouldScanTheWholeBuildWhenRulesAreChecked() {
    assertThat(REACTOR.modules()).contains("core", "report", "testkit", "topology-fattree", "workload-traffic");
    assertThat(REACTOR.all()).hasSizeGreaterThan(LEAST_CLASSES);
  }

  @Test
  void shouldFollowPackageOrderWhenPackagesOfCoreAndEngineUseEachOther() {
    Set<String> violations = new TreeSet<>();
    List<JavaClass> types = new ArrayList<>();
    REACTOR.of("core").forEach(types::add);
    REACTOR.of("primitives").forEach(types::add);
    REACTOR.of("engine").forEach(types::add);
    for (JavaClass type : types) {
      String from = type.getPackageName().substring(BASE.length());
      assertThat(ORDER).as("the order of packages").containsKey(from);
      Set<String> allowed = ORDER.getOrDefault(from, Set.of());
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        String target = dependency.getTargetClass().getPackageName();
        if (target.startsWith(BASE)) {
          String to = target.substring(BASE.length());
          if (!to.equals(from) && !allowed.contains(to)) {
            violations.add(from + " uses " + to + ": " + dependency.getDescription());
          }
        }
      }
    }
    assertThat(violations).isEmpty();
  }

  @Test
  void shouldHaveNoCyclesWhenPackagesUseEachOther() {
    slices().matching("dev.heddle.(**)").should().beFreeOfCycles().check(REACTOR.all());
  }

  @Test
  void shouldShareNoPackageWhenModulesAreJoined() {
    Map<String, String> owner = new TreeMap<>();
    for (String module : REACTOR.modules()) {
      for (String name : REACTOR.packages(module)) {
        assertThat(owner.put(name, module)).as("module that has package %s besides %s", name, module).isNull();
      }
    }
  }

  @Test
  void shouldSeeNoOtherModuleWhenCoreIsCompiled() {
    onlyUse("core", Set.of("core"));
  }

  @Test
  void shouldSeeCoreOnlyWhenModuleIsPlugInOrReportOrTestkit() {
    assertThat(REACTOR.plugIns()).isNotEmpty();
    REACTOR.plugIns().forEach(module -> onlyUse(module, Set.of("core", "text", "kernels", module)));
    onlyUse("kernels", Set.of("core", "text", "kernels"));
    onlyUse("report", Set.of("core", "report"));
    onlyUse("testkit", Set.of("core", "engine", "standard", "testkit"));
    onlyUse("primitives", Set.of("core", "primitives"));
    onlyUse("engine", Set.of("core", "primitives", "engine"));
    onlyUse("scenario", Set.of("core", "engine", "text", "scenario"));
    onlyUse("text", Set.of("text"));
  }

  @Test
  void shouldSeeNoEdgeModuleWhenModuleIsNotOne() {
    for (String module : REACTOR.modules()) {
      if (!EDGE.contains(module)) {
        EDGE.stream().filter(REACTOR.modules()::contains)
            .forEach(edge -> assertThat(used(module)).as("modules that %s uses", module).doesNotContain(edge));
      }
    }
  }

  @Test
  void shouldKeepColdJavaOutWhenPackageIsHot() {
    noClasses().that().resideInAnyPackage(HOT.toArray(new String[0]))
        .and(describe("run within the event loop", type -> !BEFORE_AND_AFTER.contains(outermost(type))))
        .should()
        .dependOnClassesThat(resideInAnyPackage("java.util.stream..", "java.util.logging..", "com.google.inject.."))
        .orShould()
        .dependOnClassesThat(describe("logs or sorts boxed",
            type -> Set
                .of("java.lang.System$Logger", "java.util.PriorityQueue", "java.util.HashMap", "java.util.TreeMap")
                .contains(type.getFullName())))
        .orShould().callMethodWhere(describe("boxes a number", call -> call.getTarget().getName().equals("valueOf")
            && Set.of("java.lang.Integer", "java.lang.Long", "java.lang.Double")
                .contains(call.getTargetOwner().getFullName())))
        .because("the event loop must neither allocate nor wait")
        .check(REACTOR.all());
  }

  @Test
  void shouldBeFinalWhenFieldIsStatic() {
    fields().that().areStatic()
        .and(describe("written by hand", field -> !field.getModifiers().contains(JavaModifier.SYNTHETIC)))
        .should().beFinal()
        .because("two simulations in one machine must share no state")
        .check(REACTOR.all());
  }

  @Test
  void shouldNotTouchStandardStreamsWhenModuleIsNotCli() {
    noClasses().that().resideOutsideOfPackages(BASE + "cli..", BASE + "bench..")
        .should(GeneralCodingRules.ACCESS_STANDARD_STREAMS)
        .check(REACTOR.all());
  }

  @Test
  void shouldUsePicocliInCommandsAndGuiceWhereSimulationsAreComposedOnly() {
    noClasses().that().resideOutsideOfPackages(BASE + "cli..", BASE + "bench..")
        .should().dependOnClassesThat(resideInAnyPackage("picocli.."))
        .check(REACTOR.all());
    noClasses().that().resideOutsideOfPackages(BASE + "cli..", BASE + "scenario.wiring..", BASE + "docs..")
        .should().dependOnClassesThat(resideInAnyPackage("com.google.inject..", "jakarta.inject.."))
        .because("a stack must be composable by hand")
        .check(REACTOR.all());
  }

  @Test
  void shouldBeClosedForInheritanceWhenSpiTypeIsNoInterface() {
    List<String> open = REACTOR.of("core").stream()
        .filter(type -> type.getPackageName().equals(BASE + "spi"))
        .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC) && !type.isInterface() && !type.isEnum())
        .filter(type -> !type.getModifiers().contains(JavaModifier.FINAL))
        .map(JavaClass::getName)
        .toList();
    assertThat(open).as("classes of the SPI that a plug-in could extend").isEmpty();
  }

  @Test
  void shouldBeNullMarkedWhenPackageHoldsClasses() {
    for (String module : REACTOR.modules()) {
      for (String name : REACTOR.packages(module)) {
        assertThat(REACTOR.of(module).getPackage(name).isAnnotatedWith("org.jspecify.annotations.NullMarked"))
            .as("@NullMarked in package-info.java of %s", name).isTrue();
      }
    }
  }

  @Test
  void shouldBeRegisteredWhenClassIsProvider() {
    Set<String> services = new TreeSet<>();
    for (String module : REACTOR.modules()) {
      Map<String, TreeSet<String>> expected = new TreeMap<>();
      for (JavaClass type : REACTOR.of(module)) {
        if (!module.equals("testkit") && !type.isInterface() && !type.getModifiers().contains(JavaModifier.ABSTRACT)) {
          services(type).forEach(service -> expected
              .computeIfAbsent(service.getFullName(), any -> new TreeSet<>()).add(type.getFullName()));
        }
      }
      assertThat(REACTOR.services(module)).as("META-INF/services of %s", module).isEqualTo(expected);
      services.addAll(expected.keySet());
    }
    assertThat(services).contains(BASE + "spi.LinkProvider", BASE + "tier.TopologyProvider");
  }

  @Test
  void shouldBePublicWithPlainConstructorWhenClassIsProvider() {
    classes().that().implement(describe("a service", ArchitectureTest::isService))
        .and().areNotInterfaces().and().resideOutsideOfPackage(BASE + "testkit..")
        .should().bePublic()
        .andShould().haveModifier(JavaModifier.FINAL)
        .check(REACTOR.all());
  }

  @Test
  void shouldSayWhatItIsWhenTypeIsNamed() {
    noClasses().should().haveSimpleNameEndingWith("Impl")
        .orShould().haveSimpleNameEndingWith("Util").orShould().haveSimpleNameEndingWith("Utils")
        .orShould().haveSimpleNameEndingWith("Manager").orShould().haveSimpleNameEndingWith("Helper")
        .orShould().haveSimpleNameStartingWith("Abstract")
        .check(REACTOR.all());
  }

  @Test
  void shouldBeInTheBillOfMaterialsWhenModuleIsPublished() {
    Set<String> unpublished = Set.of("bench", "docs", "site");
    String bom = Reactor.text(REACTOR.root().resolve("bom/pom.xml"));
    for (String module : REACTOR.modules()) {
      if (!unpublished.contains(module)) {
        assertThat(bom).as("bill of materials").contains("<artifactId>heddle-" + module + "</artifactId>");
      }
    }
  }

  @Test
  void shouldHaveReadmeWhenModuleIsDeclared() {
    for (String module : REACTOR.declared()) {
      assertThat(Files.exists(REACTOR.root().resolve(module).resolve("README.md")))
          .as("README.md of %s", module).isTrue();
    }
  }

  private static String outermost(JavaClass type) {
    return type.getEnclosingClass().map(ArchitectureTest::outermost).orElseGet(type::getSimpleName);
  }

  private static Stream<JavaClass> services(JavaClass type) {
    return Stream.concat(type.getAllRawInterfaces().stream(), type.getAllRawSuperclasses().stream())
        .filter(ArchitectureTest::isService);
  }

  private static boolean isService(JavaClass type) {
    return Set
        .of(BASE + "cli.SubcommandProvider", BASE + "cli.SweepEngineProvider", BASE + "kernel.KernelSourceProvider",
            BASE + "network.NetworkModelProvider", BASE + "registry.PluginKind", BASE + "service.TaskRunnerProvider")
        .contains(type.getFullName())
        || type.isInterface() && Set.of(BASE + "spi", BASE + "tier").contains(type.getPackageName())
            && (type.getSimpleName().endsWith("Provider") && !type.getSimpleName().equals("Provider")
                || type.getSimpleName().equals("ValidationSuite"));
  }

  private static void onlyUse(String module, Set<String> allowed) {
    assertThat(used(module)).as("modules that %s uses", module).isSubsetOf(allowed);
  }

  private static Set<String> used(String module) {
    Map<String, String> owner = new TreeMap<>();
    REACTOR.modules().forEach(other -> REACTOR.packages(other).forEach(name -> owner.put(name, other)));
    Set<String> used = new TreeSet<>();
    for (JavaClass type : REACTOR.of(module)) {
      type.getDirectDependenciesFromSelf().forEach(dependency -> {
        String target = owner.get(dependency.getTargetClass().getBaseComponentType().getPackageName());
        if (target != null) {
          used.add(target);
        }
      });
    }
    return used;
  }
}
