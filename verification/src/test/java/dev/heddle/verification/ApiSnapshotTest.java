package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Snapshot test of the public API of core, in {@code verification/src/test/api/core.txt}: reviews show every change of
 * a signature that third parties compile against. {@code -Ddocs.update=true} writes the snapshot anew.
 */
class ApiSnapshotTest {
  private static final int MOST_PUBLIC_TYPES = 80;
  private static final int MOST_LINES = 8_500;
  private static final Reactor REACTOR = Reactor.read();
  private static final Path SNAPSHOT = REACTOR.root().resolve("verification/src/test/api/core.txt");

  @Test
  void shouldEqualTheSnapshotUnlessItIsWrittenAnew() throws IOException {
    String api = REACTOR.of("core").stream().filter(ApiSnapshotTest::isVisible).sorted(
        (a, b) -> a.getName().compareTo(b.getName())).map(ApiSnapshotTest::lines).collect(Collectors.joining("\n"));
    if (Boolean.getBoolean("docs.update")) {
      Files.createDirectories(SNAPSHOT.getParent());
      Files.writeString(SNAPSHOT, api);
    }
    assertThat(api).as("core's public API; -Ddocs.update=true writes its "
        + "snapshot anew").isEqualTo(Reactor.text(SNAPSHOT));
  }

  @Test
  void shouldStaySmallWhenTypesAndLinesAreCounted() {
    long types = REACTOR.of("core").stream()
        .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC) && type.isTopLevelClass()).count();
    assertThat(types).as("public top-level types of core").isLessThanOrEqualTo(MOST_PUBLIC_TYPES);
    long lines = REACTOR.sources("core").stream().mapToLong(file -> Reactor.text(file).lines().count()).sum();
    assertThat(lines).as("lines of core").isLessThanOrEqualTo(MOST_LINES);
    long all = REACTOR.modules().stream().flatMap(module -> REACTOR.sources(module).stream())
        .mapToLong(file -> Reactor.text(file).lines().count()).sum();
    for (String module : REACTOR.modules()) {
      long own = REACTOR.sources(module).stream().mapToLong(file -> Reactor.text(file).lines().count()).sum();
      assertThat(5 * own).as("lines of %s, at most a fifth of all", module).isLessThanOrEqualTo(all);
    }
  }

  private static boolean isVisible(JavaClass type) {
    return type.getModifiers().contains(JavaModifier.PUBLIC)
        && type.getEnclosingClass().map(ApiSnapshotTest::isVisible).orElse(true);
  }

  private static String lines(JavaClass type) {
    Set<String> members = new TreeSet<>();
    for (JavaField field : type.getFields()) {
      if (isOpen(field.getModifiers())) {
        members.add("  " + modifiers(field.getModifiers()) + field.getType().getName() + " " + field.getName());
      }
    }
    for (JavaCodeUnit unit : type.getCodeUnits()) {
      if (isOpen(unit.getModifiers())) {
        members.add("  " + modifiers(unit.getModifiers()) + unit.getReturnType().getName() + " " + unit.getName()
            + unit.getParameterTypes().stream().map(each -> each.getName()).collect(
                Collectors.joining(", ", "(", ")")));
      }
    }
    List<String> all = new ArrayList<>();
    all.add(type.getName() + type.getInterfaces().stream().map(each -> each.getName()).sorted()
        .map(name -> " : " + name).collect(Collectors.joining()));
    all.addAll(members);
    return String.join("\n", all) + "\n";
  }

  private static boolean isOpen(Set<JavaModifier> modifiers) {
    return (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED))
        && !modifiers.contains(JavaModifier.SYNTHETIC);
  }

  private static String modifiers(Set<JavaModifier> modifiers) {
    return (modifiers.contains(JavaModifier.STATIC) ? "static " : "")
        + (modifiers.contains(JavaModifier.ABSTRACT) ? "abstract " : "");
  }
}
