package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Limits on the sources of all modules. A module that does not meet a limit yet is listed as an exception; a module
 * that meets it must leave the list, so that lists only shrink. Limits are never raised.
 */
class StyleTest {
  private static final int MOST_COLUMNS = 120;
  private static final int MOST_LINES_OF_METHOD = 60;
  private static final int MOST_LINES_OF_FILE = 500;
  private static final int MOST_PARAMETERS = 6;

  // The word replaces a noun: at most two in 1,000 words of comment, or one in a module of few words.
  private static final Pattern WORD = Pattern.compile("[A-Za-z][A-Za-z'-]*");
  private static final int WORDS_PER_WHAT = 500;
  private static final Pattern EVASIVE = Pattern.compile("(?:What|Who|Whose|Whichever|How)\\b.*", Pattern.DOTALL);

  private static final Map<String, List<JavaSource>> SOURCES = read();

  @Test
  void shouldKeepLinesWithin120Columns() {
    check(source -> {
      List<String> faults = new ArrayList<>();
      for (int i = 0; i < source.lines().size(); i++) {
        int columns = source.lines().get(i).codePointCount(0, source.lines().get(i).length());
        if (columns > MOST_COLUMNS) {
          faults.add(i + 1 + ": " + columns + " columns");
        }
      }
      return faults.stream();
    });
  }

  @Test
  void shouldKeepMethodsAndConstructorsWithin60Lines() {
    check(source -> source.members().stream()
        .filter(member -> member.length() > MOST_LINES_OF_METHOD)
        .map(member -> member.line() + ": " + member.name() + " has " + member.length() + " lines"));
  }

  @Test
  void shouldKeepFilesWithin500Lines() {
    check(source -> Stream.of(source.lines().size()).filter(lines -> lines > MOST_LINES_OF_FILE)
        .map(lines -> "1: " + lines + " lines"));
  }

  @Test
  void shouldKeepMethodsWithin6Parameters() {
    check(source -> source.members().stream()
        .filter(member -> member.parameters() > MOST_PARAMETERS)
        .map(member -> member.line() + ": " + member.name() + " has " + member.parameters() + " parameters"));
  }

  @Test
  void shouldBeginNoCommentWithAWordThatAvoidsTheNoun() {
    check(source -> source.comments().stream().filter(comment -> EVASIVE.matcher(comment).matches())
        .map(comment -> "1: " + comment));
  }

  @Test
  void shouldNameThingsInCommentsInsteadOfSayingWhat() {
    TreeMap<String, String> faults = new TreeMap<>();
    SOURCES.forEach((module, sources) -> {
      long words = 0;
      long what = 0;
      for (JavaSource source : sources) {
        for (String comment : source.comments()) {
          words += WORD.matcher(comment).results().count();
          what += WORD.matcher(comment).results().filter(match -> match.group().equalsIgnoreCase("what")).count();
        }
      }
      if (what * WORDS_PER_WHAT > Math.max(words, WORDS_PER_WHAT)) {
        faults.put(module, what + " in " + words + " words");
      }
    });
    check(faults);
  }

  private static void check(Function<JavaSource, Stream<String>> rule) {
    TreeMap<String, List<String>> faults = new TreeMap<>();
    SOURCES.forEach((module, sources) -> {
      List<String> found = sources.stream()
          .flatMap(source -> rule.apply(source).map(fault -> source.file().getFileName() + ":" + fault)).toList();
      if (!found.isEmpty()) {
        faults.put(module, found);
      }
    });
    check(faults);
  }

  private static void check(TreeMap<String, ?> faults) {
    assertThat(faults).as("modules that pass the limit").isEmpty();
  }

  private static Map<String, List<JavaSource>> read() {
    Reactor reactor = Reactor.read();
    Map<String, List<JavaSource>> sources = new TreeMap<>();
    int files = 0;
    for (String module : reactor.declared()) {
      List<Path> all = reactor.allSources(module);
      files += all.size();
      sources.put(module, all.isEmpty() ? List.of() : JavaSource.read(all));
    }
    // A least number of files, so that no rule passes without any.
    assertThat(files).isGreaterThan(900);
    return sources;
  }
}
