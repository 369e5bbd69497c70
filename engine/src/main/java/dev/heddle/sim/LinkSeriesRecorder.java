package dev.heddle.sim;

import dev.heddle.fabric.Fabric;
import dev.heddle.network.LinkNames;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.observe.TimeBins;
import dev.heddle.results.Results.Series;
import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToDoubleFunction;

/**
 * Use, queue, marks and pauses of chosen links over simulated time. Queues, marks and pauses are those of a transport
 * at packet fidelity.
 */
final class LinkSeriesRecorder implements NetworkObserver {
  private static final int BINS = 256;
  private static final double PS_PER_US = 1e6;
  private static final double BYTES_PER_KIB = 1024;

  private final Fabric fabric;
  private final TimeBins time = new TimeBins(BINS);
  private final Map<Integer, Watched> links = new LinkedHashMap<>();

  /** Curves of a link, and the state that lasts until its next change. */
  private final class Watched {
    private final double[] busyPs = time.sums();
    private final double[] packets = time.sums();
    private final double[] bytePs = time.sums();
    private final double[] mostBytes = time.maxima();
    private final double[] marks = time.sums();
    private final double[] pausedPs = time.sums();
    private long queueBytes;
    private long queuedAt;
    private boolean paused;
    private long pausedAt;

    private void settle(long timePs) {
      time.spread(bytePs, queuedAt, timePs, queueBytes);
      queuedAt = timePs;
      if (paused) {
        time.spread(pausedPs, pausedAt, timePs, 1);
        pausedAt = timePs;
      }
    }
  }

  /**
   * Watches links.
   *
   * @param names of directed links, as {@link Fabric#linkName} has them
   * @throws InvalidSettingException when there is no such link
   */
  LinkSeriesRecorder(Fabric fabric, List<String> names) {
    this.fabric = fabric;
    Map<String, Integer> known = LinkNames.of(fabric);
    for (int i = 0; i < names.size(); i++) {
      String name = names.get(i);
      Integer link = known.get(name.strip());
      if (link == null) {
        throw new InvalidSettingException(
            "", "run.link-series[" + i + "]: " + LinkNames.unknown(name, known.keySet()));
      }
      links.computeIfAbsent(link, each -> new Watched());
    }
  }

  @Override
  public void transmitted(int link, int channel, long startPs, long endPs, int payloadBytes) {
    Watched watched = links.get(link);
    if (watched != null) {
      time.reach(endPs);
      time.spread(watched.busyPs, startPs, endPs, 1);
      watched.packets[time.bin(startPs)]++;
    }
  }

  @Override
  public void delivered(int source, int destination, long bytes, long generatedPs, long deliveredPs) {
    time.reach(deliveredPs);
  }

  @Override
  public void queued(int link, long timePs, long bytes) {
    Watched watched = links.get(link);
    if (watched != null) {
      time.reach(timePs);
      watched.settle(timePs);
      watched.queueBytes = bytes;
      int bin = time.bin(timePs);
      watched.mostBytes[bin] = Math.max(watched.mostBytes[bin], bytes);
    }
  }

  @Override
  public void marked(int link, long timePs) {
    Watched watched = links.get(link);
    if (watched != null) {
      time.reach(timePs);
      watched.marks[time.bin(timePs)]++;
    }
  }

  @Override
  public void paused(int link, int channels, long timePs) {
    Watched watched = links.get(link);
    if (watched != null) {
      time.reach(timePs);
      watched.settle(timePs);
      watched.paused = channels != 0;
      watched.pausedAt = timePs;
    }
  }

  /** The curves of all links; those of queues, marks and pauses where a link has had any. */
  List<Series> series() {
    List<Series> series = new ArrayList<>();
    double width = time.widthPs();
    links.forEach((link, watched) -> {
      watched.settle(time.lastPs());
      String name = fabric.linkName(link);
      series.add(curve("use", name, "use [%]", bin -> 100 * watched.busyPs[bin] / width));
      if (any(watched.mostBytes)) {
        series.add(curve("queue", name, "queue, mean [KiB]", bin -> watched.bytePs[bin] / width / BYTES_PER_KIB));
        series.add(
            curve("queue-most", name, "queue, largest [KiB]", bin -> watched.mostBytes[bin] / BYTES_PER_KIB));
      }
      if (any(watched.marks)) {
        series.add(curve("marked", name, "marked packets [%]",
            bin -> 100 * watched.marks[bin] / Math.max(1, watched.packets[bin])));
      }
      if (any(watched.pausedPs)) {
        series.add(curve("paused", name, "paused [%]", bin -> 100 * watched.pausedPs[bin] / width));
      }
    });
    return series;
  }

  private static boolean any(double[] bins) {
    return Arrays.stream(bins).anyMatch(bin -> bin > 0);
  }

  private Series curve(String id, String link, String title, IntToDoubleFunction ordinate) {
    List<Double> x = new ArrayList<>();
    List<Double> y = new ArrayList<>();
    for (int bin = 0; bin < time.count(); bin++) {
      x.add((bin + 0.5) * time.widthPs() / PS_PER_US);
      y.add(ordinate.applyAsDouble(bin));
    }
    return new Series("link." + id + " " + link, link + ": " + title, "simulated time [us]", title, x, y);
  }
}
