package dev.heddle.site;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Check of the links of all pages: files and anchors that they name exist, and none loads from another host. */
final class LinkCheck {
  private static final Pattern LINK = Pattern.compile("<(\\w+)\\s[^>]*?(href|src)=\"([^\"]*)\"");
  private static final Pattern ID = Pattern.compile("\\sid=\"([^\"]+)\"");

  private LinkCheck() {}

  /**
   * The links that lead nowhere, with their pages.
   *
   * @param site folder of a version
   * @param later files of it that are written later
   */
  static List<String> broken(Path site, Set<String> later) throws IOException {
    List<Path> pages;
    try (Stream<Path> files = Files.walk(site)) {
      // Javadoc checks its own links, and the report has none.
      pages = files.filter(file -> file.toString().endsWith(".html") && !file.startsWith(site.resolve("api"))
          && !file.startsWith(site.resolve("sample"))).sorted().toList();
    }
    Map<Path, String> texts = new LinkedHashMap<>();
    for (Path page : pages) {
      texts.put(page, Files.readString(page, StandardCharsets.UTF_8));
    }
    List<String> broken = new ArrayList<>();
    for (Map.Entry<Path, String> page : texts.entrySet()) {
      Matcher matcher = LINK.matcher(page.getValue());
      while (matcher.find()) {
        String link = matcher.group(3);
        boolean shown = matcher.group(1).equals("a");
        if (!leads(site, page.getKey(), link, shown, later, texts)) {
          broken.add(site.relativize(page.getKey()) + ": " + link);
        }
      }
    }
    return broken;
  }

  private static boolean leads(
      Path site, Path page, String link, boolean shown, Set<String> later, Map<Path, String> texts) {
    if (link.matches("[a-z]+:.*")) {
      return shown && link.matches("(https?|mailto):.+");
    }
    int hash = link.indexOf('#');
    String path = hash < 0 ? link : link.substring(0, hash);
    Path target = path.isEmpty() ? page : page.resolveSibling(path).normalize();
    if (later.contains(site.relativize(target).toString()) || target.equals(site.resolveSibling("versions.js"))) {
      return true;
    }
    if (!Files.isRegularFile(target)) {
      return false;
    }
    return hash < 0 || ids(texts.getOrDefault(target, "")).contains(link.substring(hash + 1));
  }

  private static Set<String> ids(String text) {
    Set<String> ids = new TreeSet<>();
    Matcher matcher = ID.matcher(text);
    while (matcher.find()) {
      ids.add(matcher.group(1));
    }
    return ids;
  }
}
