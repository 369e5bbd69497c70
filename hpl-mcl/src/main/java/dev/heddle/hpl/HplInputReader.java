package dev.heddle.hpl;

import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Reads HPL.dat, the input file of HPL 2.3: 31 lines of numbers in a fixed order, each followed by any remark.
 *
 * <p>The two lines of title, the output file and device are skipped; lines after the 31st are ignored, as HPL does.
 * Stricter than HPL in one point: no NB may exceed an N.
 */
public final class HplInputReader {
  private static final int TITLE_LINES = 4;
  private static final int MOST_VALUES = 20;
  private static final int SHOWN = 60;
  private static final int LARGEST = 100_000_000;
  private static final PanelFactorization[] FACTORIZATIONS = PanelFactorization.values();

  private final String name;
  private final List<String> lines;
  private int line = TITLE_LINES;

  private HplInputReader(String name, List<String> lines) {
    this.name = name;
    this.lines = lines;
  }

  /**
   * Reads a file.
   *
   * @param name of the file, for messages
   * @param text of the file
   * @throws InvalidSettingException naming the file and line of the malformed text, and the allowed values
   */
  public static HplInput read(String name, String text) {
    return new HplInputReader(name, text.lines().toList()).read();
  }

  private HplInput read() {
    List<Integer> orders = values("N", "problem sizes", 1, LARGEST);
    List<Integer> blockSizes = values("NB", "block sizes", 1, Collections.min(orders));
    final boolean columnMajor = one("PMAP", 0, 1) == 1;
    List<ProcessGrid> grids = grids();
    double threshold = threshold();
    List<PanelFactorization> panels = choices("PFACT", "panel factorisations", FACTORIZATIONS);
    List<Integer> stops = values("NBMIN", "recursive stopping criteria", 1, LARGEST);
    List<Integer> divisions = values("NDIV", "panels in recursion", 2, LARGEST);
    List<PanelFactorization> recursives = choices("RFACT", "recursive panel factorisations", FACTORIZATIONS);
    List<PanelBroadcast> broadcasts = choices("BCAST", "broadcasts", PanelBroadcast.values());
    List<Integer> depths = values("DEPTH", "look-ahead depths", 0, LARGEST);
    List<HplVariant> variants = new ArrayList<>();
    for (int depth : depths) {
      for (PanelBroadcast broadcast : broadcasts) {
        for (PanelFactorization recursive : recursives) {
          for (PanelFactorization panel : panels) {
            for (int stop : stops) {
              divisions.forEach(division -> variants.add(
                  new HplVariant(columnMajor, depth, broadcast, recursive, division, panel, stop)));
            }
          }
        }
      }
    }
    return new HplInput(orders.stream().map(Long::valueOf).toList(), blockSizes, grids, variants, options(threshold));
  }

  private HplInput.Options options(double threshold) {
    RowSwap swap = RowSwap.values()[one("SWAP", 0, RowSwap.values().length - 1)];
    int swapThreshold = one("swapping threshold", 0, LARGEST);
    boolean transposedL = one("L1", 0, 1) == 0;
    boolean transposedU = one("U", 0, 1) == 0;
    boolean equilibrated = one("equilibration", 0, 1) == 1;
    return new HplInput.Options(
        threshold, swap, swapThreshold, transposedL, transposedU, equilibrated, one("alignment", 1, LARGEST));
  }

  private List<ProcessGrid> grids() {
    int count = one("the number of process grids", 1, MOST_VALUES);
    List<Integer> rows = numbers("P", count, 1, LARGEST);
    List<Integer> columns = numbers("Q", count, 1, LARGEST);
    List<ProcessGrid> grids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      try {
        grids.add(new ProcessGrid(rows.get(i), columns.get(i)));
      } catch (InvalidSettingException e) {
        throw problem(String.valueOf(e.getMessage()));
      }
    }
    return grids;
  }

  private double threshold() {
    String text = words("threshold", 1)[0];
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw problem("threshold is '" + shown(text) + "'; it must be a number, usually 16.0");
    }
  }

  private static String shown(String word) {
    return word.length() > SHOWN ? word.substring(0, SHOWN) + "..." : word;
  }

  private <T> List<T> choices(String what, String plural, T[] all) {
    return values(what, plural, 0, all.length - 1).stream().map(number -> all[number]).toList();
  }

  /** A line with a count n, and one with n numbers. */
  private List<Integer> values(String what, String plural, int least, int most) {
    return numbers(what, one("the number of " + plural, 1, MOST_VALUES), least, most);
  }

  private int one(String what, int least, int most) {
    return numbers(what, 1, least, most).get(0);
  }

  private List<Integer> numbers(String what, int count, int least, int most) {
    String[] words = words(what, count);
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      numbers.add(number(what, words[i], least, most));
    }
    return numbers;
  }

  private int number(String what, String word, int least, int most) {
    long value;
    try {
      value = Long.parseLong(word);
    } catch (NumberFormatException e) {
      throw problem(what + " is '" + shown(word) + "'; it must be a whole number from " + least + " to " + most);
    }
    if (value < least || value > most) {
      throw problem(what + " is " + word + "; it must be " + least + " to " + most);
    }
    return (int) value;
  }

  /** The words of the next line, at least {@code count}. */
  private String[] words(String what, int count) {
    line++;
    if (line > lines.size()) {
      throw new InvalidSettingException(
          "", name + ": ends after line " + lines.size() + ", before " + what + " on line " + line);
    }
    String[] words = lines.get(line - 1).strip().split("\\s+");
    if (words.length < count || words[0].isEmpty()) {
      int given = words[0].isEmpty() ? 0 : words.length;
      throw problem(
          what + " must have " + count + (count == 1 ? " value" : " values") + ", but the line holds " + given);
    }
    return words;
  }

  private InvalidSettingException problem(String message) {
    return new InvalidSettingException("", name + ":" + line + ": " + message);
  }
}
