package dev.heddle.docs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The Markdown pages of this folder, and the samples that they take from compiled files. */
final class Pages {
  /** Set to write pages instead of checking them. */
  static final boolean UPDATE = Boolean.getBoolean("docs.update");

  private static final Pattern SAMPLE =
      Pattern.compile("<!-- sample: (?<file>[^\\s#]+)(?:#(?<part>\\S+))? -->\\n```\\w*\\n(?<text>.*?)```\\n",
          Pattern.DOTALL);

  private Pages() {}

  /** The folder of this module. */
  static Path folder() {
    Path here = Path.of("").toAbsolutePath();
    return Files.exists(here.resolve("decisions.md")) ? here : here.resolve("docs");
  }

  static List<Path> all() throws IOException {
    List<Path> pages = new ArrayList<>();
    for (Path folder : List.of(folder(), folder().resolve("validation"))) {
      try (Stream<Path> files = Files.list(folder)) {
        files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(pages::add);
      }
    }
    return pages;
  }

  static String text(Path file) throws IOException {
    return Files.readString(file, StandardCharsets.UTF_8).replace("\r\n", "\n");
  }

  /** A page with its samples as the files have them now. */
  static String renewed(String page) throws IOException {
    Matcher matcher = SAMPLE.matcher(page);
    StringBuilder text = new StringBuilder();
    while (matcher.find()) {
      String sample = sample(matcher.group("file"), matcher.group("part"));
      String block = matcher.group().replace("\n" + matcher.group("text") + "```\n", "\n" + sample + "```\n");
      matcher.appendReplacement(text, Matcher.quoteReplacement(block));
    }
    return matcher.appendTail(text).toString();
  }

  private static String sample(String file, String part) throws IOException {
    List<String> lines = text(folder().resolve(file)).lines().toList();
    if (part == null) {
      return lines.stream().filter(line -> !line.matches("\\s*# (sample: .*|end)"))
          .collect(Collectors.joining("\n", "", "\n"));
    }
    int start = -1;
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).strip().matches("(//|#) sample: " + Pattern.quote(part))) {
        start = i + 1;
      } else if (start >= 0 && lines.get(i).strip().matches("(//|#) end")) {
        return String.join("\n", lines.subList(start, i)).stripIndent() + "\n";
      }
    }
    throw new IllegalArgumentException("no sample " + part + " in " + file);
  }
}
