package dev.heddle.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SiteBuilderTest {
  private static final Set<String> LATER = Set.of(SiteBuilder.API, SiteBuilder.REPORT);

  @TempDir
  private Path folder;
  private Path root;
  private Path out;

  @BeforeEach
  void makeFolders() throws IOException {
    root = folder.resolve("checkout");
    Files.createDirectories(root.resolve("docs"));
    out = folder.resolve("site/1.0");
    Files.writeString(root.resolve("README.md"), "# Project\n\nSee [the guide](docs/guide.md#first-steps).\n");
  }

  @Test
  void shouldHoldNoBrokenLinkWhenThePagesOfThisCheckoutAreBuilt() throws IOException {
    Path here = Path.of("").toAbsolutePath();
    SiteBuilder.pages(Files.exists(here.resolve("docs/decisions.md")) ? here : here.resolve("..").normalize(), out,
        "1.0");
    assertThat(LinkCheck.broken(out, LATER)).isEmpty();
    assertThat(Files.readString(out.resolve("index.html"))).contains("<title>Heddle – Heddle 1.0</title>");
    assertThat(out.resolve("docs/validation/nccl.html")).exists();
    assertThat(out.resolve("service/index.html")).exists();
    assertThat(Files.readString(out.resolve("search-index.js"))).contains("\"id\":\"docs/scenario.html#faults\"");
  }

  @Test
  void shouldShowPagesFilesAndFoldersWhenTheyAreLinked() throws IOException {
    Files.writeString(root.resolve("docs/guide.md"), """
        # Guide

        ## First steps

        | a | b |
        |---|---:|
        | `x<y` | 1 |

        [home](../README.md), [a file](../run.yaml), [a folder](../examples)
        """);
    Files.writeString(root.resolve("run.yaml"), "load: <50 %>\n");
    Files.createDirectories(root.resolve("examples/deep"));
    Files.writeString(root.resolve("examples/one.txt"), "one");
    SiteBuilder.pages(root, out, "1.0");
    assertThat(LinkCheck.broken(out, LATER)).isEmpty();
    assertThat(Files.readString(out.resolve("docs/guide.html"))).contains("<h2 id=\"first-steps\">")
        .contains("<td><code>x&lt;y</code></td>").contains("href=\"../run.yaml.html\"")
        .contains("<script src=\"../site.js\" defer>");
    assertThat(Files.readString(out.resolve("run.yaml.html"))).contains("load: &lt;50 %&gt;");
    assertThat(Files.readString(out.resolve("examples/index.html"))).contains("href=\"one.txt.html\"")
        .contains("href=\"deep/index.html\"");
  }

  @Test
  void shouldNamePageAndLinkWhenALinkLeadsNowhere() throws IOException {
    Files.writeString(root.resolve("docs/guide.md"), "# Guide\n\n[gone](gone.md)\n");
    assertThatThrownBy(() -> SiteBuilder.pages(root, out, "1.0")).isInstanceOf(SiteException.class)
        .hasMessage("docs/guide.md: the link gone.md leads nowhere");
    Files.writeString(root.resolve("docs/guide.md"), "# Guide\n\n![from elsewhere](https://example.org/a.png)\n");
    SiteBuilder.pages(root, out, "1.0");
    assertThat(LinkCheck.broken(out, LATER)).containsExactlyInAnyOrder(
        "docs/guide.html: https://example.org/a.png", "index.html: docs/guide.html#first-steps");
  }
}
