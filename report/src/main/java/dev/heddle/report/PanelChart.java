package dev.heddle.report;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row of panels.
 *
 * @param xTitle of the abscissa
 * @param xUnit unit of abscissae in tooltips
 * @param categories names of a category axis
 * @param sharedY whether all panels have the same ordinate
 * @param series names of all curves, once each
 * @param panels left to right
 */
record PanelChart(
    String xTitle,
    String xUnit,
    List<String> categories,
    boolean sharedY,
    List<String> series,
    List<Panel> panels)
    implements ChartSpec {
  PanelChart {
    categories = ImmutableList.copyOf(categories);
    series = ImmutableList.copyOf(series);
    panels = ImmutableList.copyOf(panels);
  }

  @Override
  public String kind() {
    return "panels";
  }

  /**
   * One panel.
   *
   * @param title above it
   * @param xType {@code value}, {@code log} or {@code category}, whose abscissae are then indices
   * @param yTitle of the ordinate
   * @param unit of ordinates in tooltips
   * @param logY whether the ordinate is logarithmic
   * @param band half height of a shaded band about 0; null for none
   * @param curves in it
   */
  record Panel(
      String title,
      String xType,
      String yTitle,
      String unit,
      boolean logY,
      @Nullable Double band,
      List<Curve> curves) {
    Panel {
      curves = ImmutableList.copyOf(curves);
    }
  }

  /**
   * One curve.
   *
   * @param name as in the legend
   * @param mode {@code line}, {@code points} or {@code bars}
   * @param x abscissae
   * @param y ordinates
   */
  record Curve(String name, String mode, List<Double> x, List<Double> y) {
    Curve {
      x = ImmutableList.copyOf(x);
      y = ImmutableList.copyOf(y);
    }
  }
}
