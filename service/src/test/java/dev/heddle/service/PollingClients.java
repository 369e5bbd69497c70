package dev.heddle.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;

/**
 * Clients that poll as pages do, each on a connection of its own: the list of tasks and a task in turn, about every
 * 200 ms. They read sockets themselves, as the JDK's client takes more time for an answer than the service.
 */
final class PollingClients implements AutoCloseable {
  private static final Pattern LENGTH = Pattern.compile("\r\nContent-Length: (\\d+)\r\n");
  private static final int MOST_ANSWER = 1 << 20;
  private static final int PAUSE_MS = 200;

  private final int port;
  private final List<String> ids;
  private final ExecutorService threads;
  private final AtomicBoolean ended = new AtomicBoolean();
  private final List<Future<List<Double>>> polls = new ArrayList<>();

  /**
   * Starts clients.
   *
   * @param count of them
   * @param port of the service
   * @param ids of tasks
   */
  PollingClients(int count, int port, List<String> ids) {
    this.port = port;
    this.ids = ids;
    threads = Executors.newFixedThreadPool(count);
    for (int i = 0; i < count; i++) {
      int client = i;
      polls.add(threads.submit(() -> poll(client)));
    }
  }

  /** The times of answers in milliseconds, sorted. */
  record Times(double[] millis) {
    double quantile(double share) {
      return millis[Math.min(millis.length - 1, (int) (share * millis.length))];
    }

    @Override
    public String toString() {
      return String.format(Locale.ROOT, "%d answers: median %.1f ms, p90 %.1f ms, p99 %.1f ms, most %.1f ms",
          millis.length, quantile(0.5), quantile(0.9), quantile(0.99), quantile(1));
    }
  }

  /** Ends the clients; all of their requests have been answered with 200. */
  Times end() throws Exception {
    ended.set(true);
    DoubleStream.Builder all = DoubleStream.builder();
    for (Future<List<Double>> poll : polls) {
      poll.get(60, TimeUnit.SECONDS).forEach(all::add);
    }
    double[] millis = all.build().toArray();
    Arrays.sort(millis);
    return new Times(millis);
  }

  private List<Double> poll(int client) throws IOException, InterruptedException {
    List<Double> millis = new ArrayList<>();
    byte[] buffer = new byte[MOST_ANSWER];
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setTcpNoDelay(true);
      while (!ended.get()) {
        int count = millis.size();
        String path = count % 2 == 0 ? "/tasks?limit=100" : "/tasks/" + ids.get((client * 31 + count) % ids.size());
        long start = System.nanoTime();
        socket.getOutputStream().write(("GET " + Api.BASE + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII));
        String head = answer(socket.getInputStream(), buffer);
        millis.add((System.nanoTime() - start) / 1e6);
        assertThat(head).startsWith("HTTP/1.1 200 ");
        Thread.sleep(PAUSE_MS);
      }
    }
    return millis;
  }

  /** Reads an answer whole, and returns its head. */
  private static String answer(InputStream in, byte[] buffer) throws IOException {
    int read = 0;
    while (true) {
      int more = in.read(buffer, read, buffer.length - read);
      assertThat(more).isPositive();
      read += more;
      String text = new String(buffer, 0, Math.min(read, 4096), StandardCharsets.ISO_8859_1);
      int head = text.indexOf("\r\n\r\n");
      Matcher length = LENGTH.matcher(text);
      if (head >= 0 && length.find() && read >= head + 4 + Integer.parseInt(length.group(1))) {
        return text.substring(0, head);
      }
    }
  }

  @Override
  public void close() {
    ended.set(true);
    threads.shutdownNow();
  }
}
