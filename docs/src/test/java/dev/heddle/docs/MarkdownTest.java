package dev.heddle.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.registry.Registry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class MarkdownTest {
  private static final String HINT = "run 'mvn -pl docs -am verify -Ddocs.update=true' to renew it";
  private static final Pattern FENCE = Pattern.compile("(?m)^```(\\w*)$");
  private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:)([^)#]+)(?:#[^)]*)?\\)");

  static List<Path> pages() throws IOException {
    return Pages.all();
  }

  @ParameterizedTest
  @MethodSource("pages")
  void shouldIncludeSamplesFromCompiledFilesWhenPageShowsCode(Path page) throws IOException {
    String text = Pages.text(page);
    String renewed = Pages.renewed(text);
    if (Pages.UPDATE) {
      Files.writeString(page, renewed);
    } else {
      assertThat(text).as("samples of %s; %s", page.getFileName(), HINT).isEqualTo(renewed);
    }
    String rest = text.replaceAll("(?s)<!-- sample: [^\\n]*-->\\n```.*?\\n```\\n", "");
    Matcher fences = FENCE.matcher(rest);
    for (int i = 0; fences.find(); i++) {
      if (i % 2 == 0) {
        assertThat(fences.group(1)).as("language of a block of %s that no file backs", page.getFileName())
            // Output in text is that of the tutorial, whose test compares it.
            .isIn(page.endsWith("tutorial.md") ? List.of("sh", "text") : List.of("sh"));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("pages")
  void shouldLeadSomewhereWhenPageLinks(Path page) throws IOException {
    Matcher links = LINK.matcher(Pages.text(page));
    while (links.find()) {
      assertThat(page.resolveSibling(links.group(1))).as("link of %s", page.getFileName()).exists();
    }
  }

  @Test
  void shouldStateTheErrorsOfTheValidationPagesWhenReadmeIsRead() throws IOException {
    Matcher rows = Pattern.compile("(?m)^\\|.*\\]\\((docs/validation/[a-z-]+\\.md)\\).*\\| (.*) \\|$")
        .matcher(Pages.text(Pages.folder().resolve("../README.md")));
    int found = 0;
    while (rows.find()) {
      String page = Pages.text(Pages.folder().resolve("..").resolve(rows.group(1)));
      String errors = page.lines().filter(line -> line.contains("**Error on what was not fitted**")).findFirst()
          .orElseThrow();
      for (String part : rows.group(2).split("; ", -1)) {
        assertThat(errors).as("the line of %s that README quotes", rows.group(1)).contains(part);
      }
      found++;
    }
    assertThat(found).isGreaterThan(4);
  }

  @ParameterizedTest
  @ValueSource(strings = {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "dist/README.md", "python/README.md"})
  void shouldLeadSomewhereWhenAPageOutsideLinks(String name) throws IOException {
    shouldLeadSomewhereWhenPageLinks(Pages.folder().resolve("..").resolve(name));
  }

  @Test
  void shouldMatchDeclarationsWhenReferenceIsRead() throws IOException {
    Path folder = Files.createDirectories(Pages.folder().resolve("reference"));
    try (Registry registry = Registry.discover(MarkdownTest.class.getClassLoader(), List.of());
        Stream<Path> files = Files.list(folder)) {
      assertThat(registry.warnings()).isEmpty();
      Map<String, String> pages = ReferencePages.of(registry);
      for (Map.Entry<String, String> page : pages.entrySet()) {
        Path file = folder.resolve(page.getKey());
        if (Pages.UPDATE) {
          Files.writeString(file, page.getValue());
        }
        assertThat(file).as(HINT).exists();
        assertThat(Pages.text(file)).as("%s; %s", file, HINT).isEqualTo(page.getValue());
      }
      assertThat(files.map(file -> file.getFileName().toString())).containsExactlyInAnyOrderElementsOf(pages.keySet());
    }
  }
}
