package dev.heddle.topology.fattree;

import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The choice of a tree's shape from its settings and the number of terminals, with checks. */
final class ShapeChoice {
  private static final int MOST_LEVELS = 8;
  private static final int MOST_PORTS = 65_536;
  private static final long MOST_DEVICES = 1L << 24;

  private final FatTreeTopologyProvider.Settings settings;
  private final int levels;
  private final Ports ports;

  private ShapeChoice(FatTreeTopologyProvider.Settings settings, int levels) {
    this.settings = settings;
    this.levels = levels;
    int first = settings.up().isEmpty() ? 1 : settings.up().get(0);
    ports = Ports.of(settings.ports(), settings.planes(), first, levels);
    if (!settings.up().isEmpty() && ports.count() != first) {
      throw new InvalidSettingException("ports", ports.count() + " ports, but up says " + first
          + " parents of a terminal; state one of them");
    }
  }

  /**
   * A choice, with checks of all settings that do not depend on the number of terminals.
   *
   * @throws InvalidSettingException when settings contradict each other
   */
  static ShapeChoice of(FatTreeTopologyProvider.Settings settings) {
    boolean explicit = !settings.down().isEmpty();
    int levels = settings.levels().orElse(explicit ? settings.down().size() : 2);
    if (levels < 1 || levels > MOST_LEVELS) {
      throw new InvalidSettingException("levels", levels + " levels; a fat tree has 1 to " + MOST_LEVELS);
    }
    ShapeChoice choice = new ShapeChoice(settings, levels);
    if (explicit) {
      choice.requireExplicit();
    } else {
      choice.requireShorthand();
    }
    return choice;
  }

  int levels() {
    return levels;
  }

  private void requireExplicit() {
    requireEntries("down", settings.down());
    requireEntries("up", settings.up());
    requireEntries("parallel", settings.parallel());
    if (settings.radix().isPresent()) {
      throw new InvalidSettingException("radix", "given together with down; the shape follows from one of them");
    }
    if (settings.oversubscription() != 1) {
      throw new InvalidSettingException(
          "oversubscription", "given together with down; write the shape's own up ports in up instead");
    }
    requireSize("down", explicitShape());
  }

  private void requireEntries(String component, List<Integer> entries) {
    if (entries.isEmpty()) {
      return;
    }
    if (entries.size() != levels) {
      throw new InvalidSettingException(
          component, entries.size() + " entries " + entries + "; a tree of " + levels + " levels needs " + levels);
    }
    for (int entry : entries) {
      if (entry < 1 || entry > MOST_PORTS) {
        throw new InvalidSettingException(component, "entry " + entry + "; each must be 1 to " + MOST_PORTS);
      }
    }
  }

  private void requireShorthand() {
    if (!settings.up().isEmpty() || !settings.parallel().isEmpty()) {
      String component = settings.up().isEmpty() ? "parallel" : "up";
      throw new InvalidSettingException(component, "given without down; give down too, or radix instead");
    }
    if (settings.radix().isPresent()) {
      int radix = settings.radix().get();
      int step = step();
      if (radix < 2 || radix > MOST_PORTS || (levels > 1 && radix % step != 0)) {
        throw new InvalidSettingException(
            "radix",
            radix + " ports; a switch needs 2 to " + MOST_PORTS + (levels > 1 ? ", a multiple of " + step
                + ", to split them " + settings.oversubscription() + " to 1"
                + (ports.joined() ? " and among the " + ports.count() + " leaves of a terminal" : "") : ""));
      }
      requireSize("radix", radixShape(radix));
    }
  }

  private static void requireSize(String component, Shape shape) {
    long devices;
    try {
      devices = Math.addExact(shape.terminals(), shape.switches());
    } catch (ArithmeticException overflow) {
      devices = Long.MAX_VALUE;
    }
    if (devices > MOST_DEVICES) {
      throw new InvalidSettingException(
          component, shape + " has more than " + MOST_DEVICES + " terminals and switches; choose a smaller tree");
    }
  }

  /**
   * The shape for a number of terminals.
   *
   * @throws InvalidSettingException when the tree has fewer places
   */
  Shape shape(int terminals) {
    if (!settings.down().isEmpty()) {
      return holding(terminals, explicitShape(), "down");
    }
    if (settings.radix().isPresent()) {
      return holding(terminals, radixShape(settings.radix().get()), "radix");
    }
    int step = step();
    for (int radix = step; radix <= MOST_PORTS; radix += step) {
      Shape shape = radixShape(radix);
      if (shape.terminals() >= terminals) {
        return shape;
      }
    }
    throw new InvalidSettingException("levels", "no tree of " + levels + " levels holds " + terminals
        + " terminals; with switches of " + MOST_PORTS + " ports it holds at most "
        + radixShape(MOST_PORTS / step * step).terminals());
  }

  private static Shape holding(int terminals, Shape shape, String component) {
    if (terminals < 1 || terminals > shape.terminals()) {
      throw new InvalidSettingException(
          component, terminals + " terminals; " + shape + " holds 1 to " + shape.terminals());
    }
    return shape;
  }

  // The divisor of a radix: a leaf divides its ports into oversubscription + 1 parts, higher switches into halves.
  private int step() {
    int parts = settings.oversubscription() + 1;
    return (parts % 2 == 0 ? parts : 2 * parts) * ports.perPlane();
  }

  private Shape explicitShape() {
    List<Integer> parallel =
        settings.parallel().isEmpty() ? Collections.nCopies(levels, 1) : settings.parallel();
    List<Integer> up = settings.up();
    if (up.isEmpty()) {
      up = constantBisection(settings.down(), parallel);
    }
    return ports.planes(Shape.of(settings.down(), up, parallel));
  }

  // The parents for constant bisection, with equal numbers of cables up and down at every switch [Zahavi 2012]: m_l p_l
  // = w_(l+1) p_(l+1).
  private List<Integer> constantBisection(List<Integer> down, List<Integer> parallel) {
    List<Integer> up = new ArrayList<>(List.of(ports.count()));
    for (int level = 1; level < down.size(); level++) {
      long below = (long) down.get(level - 1) * parallel.get(level - 1) * (level == 2 ? ports.perPlane() : 1);
      if (below % parallel.get(level) != 0) {
        throw new InvalidSettingException(
            "parallel",
            parallel.get(level) + " cables do not divide the " + below + " ports down of a switch of level " + level
                + "; give up too");
      }
      up.add(Math.toIntExact(below / parallel.get(level)));
    }
    return up;
  }

  private Shape radixShape(int radix) {
    if (levels == 1) {
      return Shape.of(List.of(radix), List.of(ports.count()), List.of(1));
    }
    int leafUp = radix / (settings.oversubscription() + 1);
    List<Integer> down = new ArrayList<>(List.of(radix - leafUp));
    List<Integer> up = new ArrayList<>(List.of(ports.count(), leafUp));
    for (int level = 2; level < levels; level++) {
      down.add(radix / 2 / (level == 2 ? ports.perPlane() : 1));
      up.add(radix / 2);
    }
    down.add(levels == 2 ? radix / ports.perPlane() : radix);
    return ports.planes(Shape.of(down, up, Collections.nCopies(levels, 1)));
  }
}
