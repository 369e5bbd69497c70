package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The launcher in a folder of its own, with a JDK and a Maven that only print their arguments. */
@EnabledOnOs({OS.LINUX, OS.MAC})
@Timeout(60)
class LauncherTest {
  private static final List<String> TOOLS =
      List.of("sh", "dirname", "readlink", "sed", "find", "head", "touch", "mkdir", "rmdir", "mv", "rm", "cat", "flock",
          "stty", "cut", "cksum", "sleep");

  @TempDir
  private Path folder;
  private Path root;
  private Path bin;
  private Path jdk;

  private record Call(int exitCode, String out, String err) {}

  @BeforeEach
  void prepare() throws IOException {
    root = Files.createDirectories(folder.resolve("a checkout"));
    Path launcher = Path.of("..", "heddle").toAbsolutePath().normalize();
    Files.copy(launcher, root.resolve("heddle"));
    Files.createDirectories(root.resolve("core/src/main"));
    Files.writeString(root.resolve("pom.xml"), "<project/>");
    Files.writeString(root.resolve("core/pom.xml"), "<project/>");
    Files.writeString(root.resolve("core/src/main/A.java"), "class A {}");
    bin = Files.createDirectories(folder.resolve("bin"));
    for (String tool : TOOLS) {
      for (String place : List.of("/usr/bin/", "/bin/")) {
        if (Files.exists(Path.of(place + tool)) && !Files.exists(bin.resolve(tool))) {
          script(bin.resolve(tool), "exec " + place + tool + " \"$@\"");
        }
      }
    }
    maven("mkdir -p '" + root + "/dist/target/heddle/lib'; sleep 0.3");
    jdk = jdk("21.0.2");
  }

  private Path jdk(String version) throws IOException {
    Path home = Files.createDirectories(folder.resolve("jdk-" + version));
    Files.createDirectories(home.resolve("bin"));
    script(home.resolve("bin/java"), "echo \"java " + version + "\"; for a in \"$@\"; do echo \"<$a>\"; done");
    script(home.resolve("bin/javac"), "exit 0");
    Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
    return home;
  }

  private void maven(String action) throws IOException {
    script(bin.resolve("mvn"), "echo built >> '" + folder + "/builds'; " + action);
  }

  private static void script(Path file, String text) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + text + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private int builds() throws IOException {
    Path log = folder.resolve("builds");
    return Files.exists(log) ? Files.readAllLines(log).size() : 0;
  }

  private Process start(Map<String, String> environment, String... args) throws IOException {
    List<String> command = new ArrayList<>(List.of("/bin/sh", root.resolve("heddle").toString()));
    command.addAll(List.of(args));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().clear();
    builder.environment().putAll(Map.of("PATH", bin.toString(), "HOME", folder.toString()));
    builder.environment().putAll(environment);
    return builder.start();
  }

  private static Call finish(Process process) throws IOException, InterruptedException {
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Call(process.waitFor(), out, err);
  }

  private Call call(String... args) throws IOException, InterruptedException {
    return finish(start(Map.of("HEDDLE_JAVA_HOME", jdk.toString()), args));
  }

  @Test
  void shouldBuildOnceAndPassArgumentsOnWhenCalled() throws Exception {
    Call call = call("run", "a b.yaml", "--set", "x={y: 'z'}");
    assertThat(call.exitCode()).as(call.err()).isZero();
    assertThat(call.err()).isEmpty();
    assertThat(call.out()).startsWith("java 21.0.2\n").contains("<" + root + "/dist/target/heddle/lib/*>")
        .contains("<-Dheddle.plugin.path=" + root + "/plugins>")
        .endsWith("<dev.heddle.cli.Main>\n<run>\n<a b.yaml>\n<--set>\n<x={y: 'z'}>\n");
    call("plugins");
    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void shouldPrintTheRecordedHelpWhenTheProgramsHelpAloneIsAsked() throws Exception {
    call();
    Path texts = Files.createDirectories(root.resolve("dist/target/heddle/help"));
    Files.writeString(texts.resolve("80-plain"), "recorded\n");
    assertThat(call("--help").out()).isEqualTo("recorded\n");
    assertThat(call("-h").out()).isEqualTo("recorded\n");
    assertThat(call("run", "--help").out()).startsWith("java ");
    Files.setLastModifiedTime(root.resolve("core/src/main/A.java"), FileTime.from(Instant.now().plusSeconds(5)));
    assertThat(call("--help").out()).as("after a build that recorded none").startsWith("java ");
  }

  @Test
  void shouldBuildAgainWhenASourceIsNewerOrGone() throws Exception {
    call();
    Path source = root.resolve("core/src/main/A.java");
    FileTime later = FileTime.from(Instant.now().plusSeconds(5));
    Files.setLastModifiedTime(source, later);
    call();
    assertThat(builds()).isEqualTo(2);
    Files.delete(source);
    Files.setLastModifiedTime(root.resolve("core/src/main"), later);
    call();
    assertThat(builds()).isEqualTo(3);
  }

  @Test
  void shouldBuildOnceWhenSeveralFirstCallsComeAtOnce() throws Exception {
    requireOneBuildOfFourCalls();
  }

  private void requireOneBuildOfFourCalls() throws Exception {
    List<Process> calls = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      calls.add(start(Map.of("HEDDLE_JAVA_HOME", jdk.toString()), "plugins"));
    }
    for (Process call : calls) {
      assertThat(finish(call).exitCode()).isZero();
    }
    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void shouldBuildOnceWithoutFlockWhenSeveralFirstCallsComeAtOnce() throws Exception {
    Files.deleteIfExists(bin.resolve("flock"));
    requireOneBuildOfFourCalls();
    assertThat(root.resolve("dist/target/.lock.d")).doesNotExist();
  }

  @Test
  void shouldShowMavensOutputAndTryAgainWhenTheBuildFails() throws Exception {
    maven("echo 'cannot find symbol'; exit 1");
    Call call = call("plugins");
    assertThat(call.exitCode()).isEqualTo(3);
    assertThat(call.err()).contains("cannot find symbol").contains("heddle: cannot be built");
    assertThat(call.out()).isEmpty();
    maven("exit 0");
    assertThat(call("plugins").exitCode()).isZero();
  }

  @Test
  void shouldSayWhatIsMissingWhenThereIsNoMaven() throws Exception {
    Files.delete(bin.resolve("mvn"));
    Call call = call("plugins");
    assertThat(call.exitCode()).isEqualTo(3);
    assertThat(call.err()).isEqualTo(
        "heddle: must be built first and needs Apache Maven (mvn); install it, then call again\n");
  }

  @Test
  void shouldRefuseWhenTheNamedJdkIsTooOldOrNone() throws Exception {
    for (Path home : List.of(jdk("11.0.20"), jdk("1.8.0_392"), folder.resolve("none"))) {
      Call call = finish(start(Map.of("HEDDLE_JAVA_HOME", home.toString()), "plugins"));
      assertThat(call.exitCode()).isEqualTo(3);
      assertThat(call.err()).isEqualTo("heddle: HEDDLE_JAVA_HOME=" + home + " holds no JDK 17 or newer\n");
    }
  }

  @Test
  void shouldPreferTheNewestWhenSeveralAreInstalled() throws Exception {
    Path installed = Files.createDirectories(folder.resolve(".jdks"));
    Files.move(jdk("98.0.1"), installed.resolve("a"));
    Files.move(jdk("99"), installed.resolve("b"));
    Files.move(jdk("9.0.4"), installed.resolve("c"));
    Call call = finish(start(Map.of("JAVA_HOME", jdk.toString()), "plugins"));
    assertThat(call.out()).startsWith("java 99\n");
  }

  @Test
  void shouldFindItsFolderWhenCalledThroughALink() throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("link"), root.resolve("heddle"));
    ProcessBuilder builder = new ProcessBuilder("/bin/sh", link.toString(), "plugins");
    builder.environment().putAll(Map.of("PATH", bin.toString(), "HEDDLE_JAVA_HOME", jdk.toString()));
    assertThat(finish(builder.start()).out()).contains("<" + root + "/dist/target/heddle/lib/*>");
  }
}
