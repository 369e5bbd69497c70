package dev.heddle.workload.trace.htsim;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Workload;
import dev.heddle.spi.Workload.Activity;
import dev.heddle.spi.WorkloadProvider;
import dev.heddle.workload.trace.graph.GraphWorkload;
import dev.heddle.workload.trace.graph.TraceActivities;
import dev.heddle.workload.trace.graph.TraceException;
import dev.heddle.workload.trace.graph.TraceFile;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Provides the flows of a connection matrix of htsim. */
@Plugin(id = "htsim",
    description = "A connection matrix of htsim: flows between nodes, started at a time or by triggers")
public final class HtsimWorkloadProvider implements WorkloadProvider<HtsimWorkloadProvider.Settings> {
  /**
   * Settings of the workload.
   *
   * @param file connection matrix
   * @param participants kind of the terminals that take part
   */
  public record Settings(
      @Setting("a connection matrix of htsim, by gzip or not; a relative name is beside the scenario") Path file,
      @Setting(value = "kind of the terminals that take part, from the first",
          def = "accelerator") DeviceKind participants) {}

  /**
   * The workload of a matrix's text, on the first accelerators.
   *
   * @param name of the text, for messages
   * @param text of the matrix
   * @throws InvalidSettingException when it is malformed
   */
  public static Workload read(String name, String text) {
    try {
      return new GraphWorkload(
          new ConnectionMatrix(name).read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8))).graphs(name),
          List.of(), DeviceKind.ACCELERATOR);
    } catch (TraceException e) {
      throw new InvalidSettingException("", String.valueOf(e.getMessage()));
    }
  }

  @Override
  public List<Activity> activities() {
    return TraceActivities.ALL;
  }

  @Override
  public Workload create(Settings settings) {
    try {
      return TraceFile.read(settings.file(), (name, in) -> new GraphWorkload(
          new ConnectionMatrix(name).read(in).graphs(name), List.of(), settings.participants()));
    } catch (TraceException e) {
      throw new InvalidSettingException("file", String.valueOf(e.getMessage()));
    }
  }
}
