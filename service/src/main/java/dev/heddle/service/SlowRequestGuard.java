package dev.heddle.service;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Closes connections whose request's head does not arrive in time, however its bytes trickle in. The time counts from
 * the first byte after the last request. The body has a time limit of its own.
 */
final class SlowRequestGuard extends AbstractLifeCycle implements Connection.Listener {
  private static final long LOOK_MS = 500;

  private final long mostMillis;
  private final Map<Connection, Watch> watched = new ConcurrentHashMap<>();
  private final Scheduler scheduler = new ScheduledExecutorScheduler("slow-requests", true);

  /** The counters of a connection between two requests. */
  private record Watch(long requests, long bytes, long sinceNanos) {}

  SlowRequestGuard(long mostMillis) {
    this.mostMillis = mostMillis;
  }

  @Override
  public void onOpened(Connection connection) {
    watched.put(connection, new Watch(0, 0, System.nanoTime()));
  }

  @Override
  public void onClosed(Connection connection) {
    watched.remove(connection);
  }

  @Override
  protected void doStart() throws Exception {
    scheduler.start();
    look();
  }

  @Override
  protected void doStop() throws Exception {
    scheduler.stop();
  }

  private void look() {
    long now = System.nanoTime();
    watched.forEach((connection, watch) -> {
      long requests = connection.getMessagesIn();
      long bytes = connection.getBytesIn();
      if (requests != watch.requests() || bytes == watch.bytes() || requests != connection.getMessagesOut()) {
        watched.replace(connection, new Watch(requests, bytes, now));
      } else if (now - watch.sinceNanos() > mostMillis * 1_000_000) {
        connection.getEndPoint().close();
      }
    });
    scheduler.schedule(this::look, LOOK_MS, java.util.concurrent.TimeUnit.MILLISECONDS);
  }
}
