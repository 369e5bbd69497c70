package dev.heddle.workload.trace.goal;

import dev.heddle.text.LineReader;
import dev.heddle.workload.trace.graph.OperationGraph;
import java.util.ArrayList;
import java.util.List;

/** The words of a GOAL file, line by line, without comments. */
final class GoalLine {
  private final LineReader lines;
  private final List<String> words = new ArrayList<>();
  private boolean comment;
  private int at;

  GoalLine(LineReader lines) {
    this.lines = lines;
  }

  /** Goes to the next line that holds words; false at the end of the file. */
  boolean next() {
    while (lines.next()) {
      words.clear();
      at = 0;
      split(lines.text());
      if (!words.isEmpty()) {
        return true;
      }
    }
    if (comment) {
      throw lines.fail("a comment that begins with /* has no end");
    }
    words.clear();
    return false;
  }

  private void split(String text) {
    int begin = -1;
    for (int i = 0; i <= text.length(); i++) {
      char c = i < text.length() ? text.charAt(i) : ' ';
      char following = i + 1 < text.length() ? text.charAt(i + 1) : ' ';
      if (comment) {
        if (c == '*' && following == '/') {
          comment = false;
          i++;
        }
        continue;
      }
      boolean opens = c == '/' && (following == '*' || following == '/');
      boolean alone = c == '{' || c == '}' || c == ':';
      if (opens || alone || c == ' ' || c == '\t') {
        if (begin >= 0) {
          words.add(text.substring(begin, i));
          begin = -1;
        }
        if (opens && following == '/') {
          return;
        }
        comment = opens;
        i += opens ? 1 : 0;
        if (alone) {
          words.add(String.valueOf(c));
        }
      } else if (begin < 0) {
        begin = i;
      }
    }
  }

  /** Whether the line has no more words. */
  boolean done() {
    return at == words.size();
  }

  /** The next word, which stays; empty where there is none. */
  String peek() {
    return done() ? "" : words.get(at);
  }

  /** The word after the next. */
  String peekSecond() {
    return at + 1 < words.size() ? words.get(at + 1) : "";
  }

  /** Takes the next word. */
  String take(String what) {
    if (done()) {
      throw lines.fail("here must be " + what + ", but the line ends");
    }
    return words.get(at++);
  }

  /** Takes the next word if it is this one. */
  boolean takeIf(String word) {
    boolean is = peek().equals(word);
    at += is ? 1 : 0;
    return is;
  }

  /** Takes the next word, which must be this one. */
  void expect(String word) {
    String is = take("'" + word + "'");
    if (!is.equals(word)) {
      throw lines.fail("here must be '" + word + "', but is '" + LineReader.shown(is) + "'");
    }
  }

  /** Takes a number. */
  long number(String what, long least, long most) {
    return lines.number(what, take(what), least, most);
  }

  /** Takes a size, such as {@code 16b}. */
  long bytes() {
    String word = take("a size, such as 16b");
    if (!word.endsWith("b")) {
      throw lines.fail("here must be a size, such as 16b, but is '" + LineReader.shown(word) + "'");
    }
    return lines.number("the size", word.substring(0, word.length() - 1), 0, OperationGraph.MOST_BYTES);
  }

  /** Sees that the line has no more words. */
  void end() {
    if (!done()) {
      throw lines.fail("'" + LineReader.shown(peek()) + "' stands where the line should end");
    }
  }

  RuntimeException fail(String message) {
    return lines.fail(message);
  }

  long line() {
    return lines.line();
  }
}
