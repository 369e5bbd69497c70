package dev.heddle.spi;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Finds the most probable correction of a misspelt word, by the optimal string alignment distance [Damerau 1964]. */
public final class NearestMatch {
  private NearestMatch() {}

  /**
   * The shortest candidate that begins with a word; else the one with the fewest edits from it, if so few that a slip
   * is likely: at most one in three letters, two in words of four letters and more, one in shorter words. Words of a
   * name in another order count as one edit.
   *
   * @param word as written
   * @param candidates the allowed words; among equally near ones the first wins
   */
  public static Optional<String> of(String word, Collection<String> candidates) {
    String lower = word.toLowerCase(Locale.ROOT);
    return begun(lower, candidates).or(() -> candidates.stream()
        .min(Comparator.comparingInt(candidate -> edits(lower, candidate)))
        .filter(best -> edits(lower, best) <= forgiven(Math.max(word.length(), best.length()))));
  }

  private static int edits(String lower, String candidate) {
    String other = candidate.toLowerCase(Locale.ROOT);
    return Math.min(distance(lower, other), 1 + distance(inOrder(lower), inOrder(other)));
  }

  private static String inOrder(String name) {
    return Arrays.stream(name.split("[-_. ]")).sorted().collect(Collectors.joining("-"));
  }

  private static Optional<String> begun(String lower, Collection<String> candidates) {
    return candidates.stream()
        .filter(candidate -> lower.length() > 1 && candidate.toLowerCase(Locale.ROOT).startsWith(lower))
        .min(Comparator.comparingInt(String::length));
  }

  private static int forgiven(int letters) {
    return letters <= 3 ? 1 : Math.max(2, letters / 3);
  }

  /** A clause to append to a message: {@code "; did you mean 'rate'?"}, or nothing. */
  public static String hint(String word, Collection<String> candidates) {
    return of(word, candidates).map(match -> "; did you mean '" + match + "'?").orElse("");
  }

  /** Insertions, deletions, substitutions and swaps of neighbours that turn {@code a} into {@code b}. */
  static int distance(String a, String b) {
    int[][] edits = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        int least = i == 0 || j == 0 ? i + j : Math.min(edits[i - 1][j], edits[i][j - 1]) + 1;
        if (i > 0 && j > 0) {
          least = Math.min(least, edits[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1));
        }
        if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
          least = Math.min(least, edits[i - 2][j - 2] + 1);
        }
        edits[i][j] = least;
      }
    }
    return edits[a.length()][b.length()];
  }
}
