package dev.heddle.cli;

import java.util.ArrayList;
import java.util.List;

/** Line breaking for terminals of any width. */
final class Paragraphs {
  private Paragraphs() {}

  /**
   * The text in lines of at most {@code width} columns where words allow, each indented.
   *
   * @param indent columns before each line
   */
  static String wrap(String text, int indent, int width) {
    int room = Math.max(20, width - indent);
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String word : text.strip().split("\\s+", -1)) {
      if (line.length() > 0 && line.length() + 1 + word.length() > room) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.length() > 0 ? " " : "").append(word);
    }
    lines.add(line.toString());
    String margin = " ".repeat(indent);
    return margin + String.join("\n" + margin, lines) + "\n";
  }
}
