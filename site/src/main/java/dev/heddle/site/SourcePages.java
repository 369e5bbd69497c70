package dev.heddle.site;

import com.google.common.collect.ImmutableSortedMap;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The Markdown pages of a checkout: those of {@code docs}, the README of each module, and those of the root.
 *
 * @param root of the checkout
 * @param texts of the pages by their path below the root, with slashes
 */
record SourcePages(Path root, ImmutableSortedMap<String, String> texts) {
  /** Reads the pages. */
  static SourcePages read(Path root) throws IOException {
    List<Path> files = new ArrayList<>();
    for (String folder : List.of("", "docs", "docs/validation", "docs/reference", "scenarios")) {
      files.addAll(markdown(root.resolve(folder)));
    }
    try (Stream<Path> modules = Files.list(root)) {
      for (Path module : modules.filter(path -> Files.exists(path.resolve("README.md"))).toList()) {
        if (!files.contains(module.resolve("README.md"))) {
          files.add(module.resolve("README.md"));
        }
      }
    }
    Map<String, String> texts = new TreeMap<>();
    for (Path file : files) {
      texts.put(root.relativize(file).toString().replace('\\', '/'),
          Files.readString(file, StandardCharsets.UTF_8).replace("\r\n", "\n"));
    }
    return new SourcePages(root, ImmutableSortedMap.copyOf(texts));
  }

  private static List<Path> markdown(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".md")).sorted().toList();
    }
  }

  /**
   * The path on the site of a file or folder of the checkout.
   *
   * @param path below the root, with slashes
   */
  String target(String path) {
    if (Files.isDirectory(root.resolve(path))) {
      return path.isEmpty() ? "index.html" : path + "/index.html";
    }
    if (texts.containsKey(path)) {
      return path.endsWith("README.md")
          ? path.substring(0, path.length() - "README.md".length()) + "index.html"
          : path.substring(0, path.length() - "md".length()) + "html";
    }
    return image(path) ? path : path + ".html";
  }

  /** Whether a file is shown as it is, not as a page with its text. */
  static boolean image(String path) {
    return path.matches(".*\\.(png|svg|jpg|ipynb|zip|gz)");
  }
}
