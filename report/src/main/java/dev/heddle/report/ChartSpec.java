package dev.heddle.report;

import com.fasterxml.jackson.annotation.JsonProperty;

/** Data of a chart that a page's script draws, written as JSON into the page. */
sealed interface ChartSpec permits PanelChart, LinkChart {
  /** Which drawing routine of the script takes it. */
  @JsonProperty
  String kind();
}
