package dev.heddle.site;

import com.google.common.escape.Escaper;
import com.google.common.html.HtmlEscapers;
import com.google.common.io.Resources;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The frame of all pages: heading with version and search, navigation, contents. */
final class Layout {
  private static final Escaper ESCAPER = HtmlEscapers.htmlEscaper();

  private final SourcePages pages;
  private final String version;
  private final String template;
  private final Map<String, Map<String, String>> groups = new LinkedHashMap<>();

  Layout(SourcePages pages, String version) {
    this.pages = pages;
    this.version = version;
    try {
      template = Resources.toString(Layout.class.getResource("page.html"), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException("the frame of pages cannot be read", e);
    }
    Map<String, String> start = titles(List.of("README.md", "docs/tutorial.md", "docs/README.md", "dist/README.md",
        "python/README.md", "CHANGELOG.md"));
    start.put(SiteBuilder.REPORT, "Sample report");
    groups.put("Start", start);
    groups.put("Guides", titles(list("docs/[a-z-]+\\.md", List.of("docs/tutorial.md"))));
    groups.put("Accuracy", titles(list("docs/validation/[a-z-]+\\.md", List.of())));
    Map<String, String> reference = titles(list("docs/reference/[a-z-]+\\.md", List.of()));
    reference.put(SiteBuilder.API, "Javadoc");
    groups.put("Reference", reference);
    groups.put("Modules", titles(list("[a-z0-9-]+/README\\.md", List.of("docs/README.md", "dist/README.md",
        "python/README.md"))));
  }

  private List<String> list(String pattern, List<String> without) {
    return pages.texts().keySet().stream().filter(path -> path.matches(pattern) && !without.contains(path)).toList();
  }

  /** Titles, which are the pages' first headings, by path. */
  private Map<String, String> titles(List<String> paths) {
    Map<String, String> titles = new LinkedHashMap<>();
    for (String path : paths) {
      String text = pages.texts().getOrDefault(path, "");
      text.lines().filter(line -> line.startsWith("# ")).findFirst()
          .ifPresent(line -> titles.put(path, line.substring(2).replace("`", "")));
    }
    return titles;
  }

  /** A page. */
  String page(String path, Markdown.Page page) {
    StringBuilder contents = new StringBuilder();
    page.sections().stream().filter(section -> section.level() == 2)
        .forEach(section -> contents.append("<li><a href=\"#")
            .append(section.anchor()).append("\">").append(ESCAPER.escape(section.title())).append("</a></li>\n"));
    String aside =
        contents.isEmpty() ? "" : "<nav class=\"contents\" aria-label=\"On this page\"><h2>On this page</h2>\n"
            + "<ul>\n" + contents + "</ul></nav>\n";
    // The picture of a report leads to the report itself.
    String body = path.equals("README.md")
        ? page.html().replaceFirst("(<img [^>]*>)", "<a href=\"" + SiteBuilder.REPORT + "\">$1</a>") : page.html();
    return framed(pages.target(path), path, page.title(), body, aside);
  }

  /** A page that shows a file or a folder. */
  String text(String path, String html) {
    return framed(pages.target(path), path, path, "<h1>" + ESCAPER.escape(path) + "</h1>\n" + html, "");
  }

  private String framed(String target, String path, String title, String body, String aside) {
    String base = Links.relative(target, "index.html").replaceFirst("index\\.html$", "");
    return template.replace("{{title}}", ESCAPER.escape(title)).replace("{{version}}", ESCAPER.escape(version))
        .replace("{{base}}", base).replace("{{nav}}", navigation(target, path)).replace("{{aside}}", aside)
        .replace("{{report}}", Links.relative(target, SiteBuilder.REPORT)).replace("{{body}}", body);
  }

  private String navigation(String target, String path) {
    StringBuilder nav = new StringBuilder();
    groups.forEach((group, entries) -> {
      boolean open = entries.containsKey(path) || group.equals("Start") || group.equals("Guides");
      nav.append("<details").append(open ? " open" : "").append("><summary>").append(group).append("</summary><ul>\n");
      entries.forEach((page, title) -> {
        String link = Links.relative(target, page.endsWith(".html") ? page : pages.target(page));
        nav.append("<li><a href=\"").append(link).append('"').append(page.equals(path) ? " aria-current=\"page\"" : "")
            .append('>').append(ESCAPER.escape(title)).append("</a></li>\n");
      });
      nav.append("</ul></details>\n");
    });
    return nav.toString();
  }
}
