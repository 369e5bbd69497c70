package dev.heddle.site;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.html.HtmlEscapers;
import com.google.common.io.Resources;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The documentation of one version as files that any server, or a browser alone, shows: pages with search, the files
 * that pages link to, and, where they are built, Javadoc and a sample report. No page loads anything from elsewhere.
 */
public final class SiteBuilder {
  /** Javadoc's entry. */
  static final String API = "api/index.html";
  /** The report of {@code scenarios/first.yaml}. */
  static final String REPORT = "sample/report.html";

  private static final int MOST_TEXT = 1200;
  private static final List<String> ASSETS = List.of("site.css", "site.js", "minisearch/minisearch.js",
      "minisearch/LICENSE");

  private final SourcePages pages;
  private final Links links;
  private final Path out;
  private final Layout layout;
  private final List<Map<String, String>> search = new ArrayList<>();
  private final Set<String> written = new TreeSet<>();

  private SiteBuilder(SourcePages pages, Path out, String version) {
    this.pages = pages;
    this.links = new Links(pages);
    this.out = out;
    this.layout = new Layout(pages, version);
  }

  /**
   * Builds the whole site of a version.
   *
   * @param args root of the checkout, folder of all versions, version
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    Path root = Path.of(args[0]).toAbsolutePath().normalize();
    Path versions = Path.of(args[1]).toAbsolutePath();
    Path out = versions.resolve(args[2]);
    pages(root, out, args[2]);
    GeneratedParts.report(root, out.resolve(REPORT));
    GeneratedParts.api(root, out.resolve("api"), args[2]);
    list(versions);
    List<String> broken = LinkCheck.broken(out, Set.of());
    if (!broken.isEmpty()) {
      throw new SiteException("links that lead nowhere:\n" + String.join("\n", broken));
    }
  }

  /**
   * Writes the pages without Javadoc and report.
   *
   * @param root of the checkout
   * @param out folder of the version
   * @param version to show
   * @throws SiteException when a link of a page names no file
   */
  static void pages(Path root, Path out, String version) throws IOException {
    SiteBuilder site = new SiteBuilder(SourcePages.read(root), out, version);
    for (Map.Entry<String, String> page : site.pages.texts().entrySet()) {
      site.page(page.getKey(), Markdown.page(page.getKey(), page.getValue(), site.links));
    }
    for (Set<String> left = site.left(); !left.isEmpty(); left = site.left()) {
      for (String file : left) {
        site.file(file);
      }
    }
    site.write("search-index.js", "heddleSearch = " + new ObjectMapper().writeValueAsString(site.search) + ";\n");
    for (String asset : ASSETS) {
      site.write(asset, Resources.toString(SiteBuilder.class.getResource(asset), StandardCharsets.UTF_8));
    }
  }

  /** The files that pages link to and that are not written yet. */
  private Set<String> left() {
    Set<String> left = new TreeSet<>(links.files());
    left.removeAll(written);
    return left;
  }

  private void page(String path, Markdown.Page page) throws IOException {
    String target = pages.target(path);
    write(target, layout.page(path, page));
    for (Markdown.Section section : page.sections()) {
      Map<String, String> entry = new LinkedHashMap<>();
      entry.put("id", target + "#" + section.anchor());
      entry.put("page", page.title());
      entry.put("title", section.title());
      // Tables of a page of results would be most of the index, and find nothing.
      entry.put("text", section.text().substring(0, Math.min(MOST_TEXT, section.text().length())));
      search.add(entry);
    }
  }

  private void file(String path) throws IOException {
    written.add(path);
    Path file = pages.root().resolve(path);
    if (Files.isDirectory(file)) {
      write(pages.target(path), layout.text(path, "<ul class=\"files\">\n" + listing(path) + "</ul>\n"));
    } else if (SourcePages.image(path)) {
      Path copy = out.resolve(path);
      Files.createDirectories(copy.getParent());
      Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
    } else {
      String text = Files.readString(file, StandardCharsets.UTF_8);
      write(pages.target(path),
          layout.text(path,
              "<pre tabindex=\"0\"><code>" + HtmlEscapers.htmlEscaper().escape(text) + "</code></pre>\n"));
    }
  }

  /** The files of a folder, each with a page of its own. */
  private String listing(String path) throws IOException {
    Map<String, Path> children = new TreeMap<>();
    try (Stream<Path> files = Files.list(pages.root().resolve(path))) {
      files.filter(file -> !file.getFileName().toString().matches("target|\\..*"))
          .forEach(file -> children.put(file.getFileName().toString(), file));
    }
    StringBuilder list = new StringBuilder();
    children.forEach((name, file) -> list.append("<li><a href=\"")
        .append(links.rewritten(path + "/README.md", name)).append("\">")
        .append(HtmlEscapers.htmlEscaper().escape(Files.isDirectory(file) ? name + "/" : name)).append("</a></li>\n"));
    return list.toString();
  }

  private void write(String path, String text) throws IOException {
    Path file = out.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text, StandardCharsets.UTF_8);
  }

  /** Writes the list of versions that lie side by side, and the page that leads to the newest. */
  private static void list(Path versions) throws IOException {
    List<String> names;
    try (Stream<Path> folders = Files.list(versions)) {
      names = folders.filter(folder -> Files.exists(folder.resolve("search-index.js")))
          .map(folder -> folder.getFileName().toString()).sorted().toList();
    }
    Files.writeString(versions.resolve("versions.js"),
        "heddleVersions = " + new ObjectMapper().writeValueAsString(names) + ";\n");
    Files.writeString(versions.resolve("index.html"),
        "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Heddle</title>"
            + "<meta http-equiv=\"refresh\" content=\"0; url=" + names.get(names.size() - 1) + "/index.html\">"
            + "<a href=\"" + names.get(names.size() - 1) + "/index.html\">Heddle</a></html>\n");
  }
}
