package dev.heddle.spi;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds the most probable correction of a misspelt word, by the optimal string alignment distance [Damerau 1964]. */
public final class NearestMatch {
  private NearestMatch() {}

  /**
   * The candidate with the fewest edits from a word, if so few that a slip is likely: at most one in three letters, two
   * in words of four letters and more, one in shorter words; else the shortest candidate that begins with the word.
   *
   * @param word as written
   * @param candidates the allowed words; among equally near ones the first wins
   */
  public static Optional<String> of(String word, Collection<String> candidates) {
    String lower = word.toLowerCase(Locale.ROOT);
    String best = null;
    int least = Integer.MAX_VALUE;
    for (String candidate : candidates) {
      int edits = distance(lower, candidate.toLowerCase(Locale.ROOT));
      if (edits < least) {
        least = edits;
        best = candidate;
      }
    }
    return best != null && least <= forgiven(Math.max(word.length(), best.length()))
        ? Optional.of(best)
        : begun(lower, candidates);
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
        if (i == 0 || j == 0) {
          edits[i][j] = i + j;
          continue;
        }
        int substitution = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        int least = Math.min(edits[i - 1][j], edits[i][j - 1]) + 1;
        least = Math.min(least, edits[i - 1][j - 1] + substitution);
        if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
          least = Math.min(least, edits[i - 2][j - 2] + 1);
        }
        edits[i][j] = least;
      }
    }
    return edits[a.length()][b.length()];
  }
}
