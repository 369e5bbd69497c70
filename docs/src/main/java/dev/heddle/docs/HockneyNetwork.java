package dev.heddle.docs;

// sample: network
import dev.heddle.engine.CollectiveLog;
import dev.heddle.engine.Events;
import dev.heddle.engine.Job;
import dev.heddle.engine.ProgramRunner;
import dev.heddle.engine.SteppedCollectives;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.Measurements;
import dev.heddle.network.MessageTable;
import dev.heddle.network.MessageTransport;
import dev.heddle.network.Network;
import dev.heddle.network.NetworkException;
import dev.heddle.network.RunOptions;
import dev.heddle.network.flow.LinkTraffic;
import dev.heddle.observe.NetworkObserver;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Network without contention [Hockney 1994, equation 1]; collectives run step by step. */
final class HockneyNetwork extends MessageTransport implements Network {
  private static final class Messages extends MessageTable {}

  private final long startupPs;
  private final Messages messages = new Messages();
  private final CollectiveLog log = new CollectiveLog();
  private final ProgramRunner runner;
  private long events;
  private long lastPs;
  private long endPs;

  HockneyNetwork(Fabric fabric, Job job, RunOptions options, @Nullable NetworkObserver observer, long startupPs) {
    super(fabric, job, options, observer);
    NetworkException.requireNoLoss(fabric);
    this.startupPs = startupPs;
    SteppedCollectives collectives = new SteppedCollectives(job.communicators(), log, queue);
    runner = new ProgramRunner(queue, this, collectives, job.ranks(), job.observer());
    for (int rank = 0; rank < job.ranks(); rank++) {
      runner.add(rank, job.programs().apply(rank));
    }
  }

  @Override
  protected ProgramRunner runner() {
    return runner;
  }

  @Override
  public void submit(int rank, int peer, long bytes, int tag, int service) {
    int message = accept(messages, rank, peer, bytes, tag, service);
    int source = messages.source(message);
    int destination = messages.destination(message);
    long wirePs = Arrays.stream(fabric.route(source, destination))
        .mapToLong(link -> fabric.linkModel(link).rate().wirePs(bytes)).max().orElse(0);
    long delay = Math.addExact(startupPs + fabric.routePs(source, destination), wirePs);
    queue.push(Math.addExact(queue.now(), delay), Events.pack(Events.DELIVER, rank, message));
  }

  @Override
  public void run() {
    runner.start();
    while (queue.nextTime() < options.untilPs()) {
      queue.pop();
      events++;
      lastPs = queue.now();
      if (Events.kind(queue.event()) == Events.DELIVER) {
        deliver(Events.target(queue.event()), Events.argument(queue.event()));
      } else {
        runner.onTimer(Events.target(queue.event()), Events.argument(queue.event()));
      }
    }
    endPs = options.toCompletion() ? lastPs : options.untilPs();
    if (options.toCompletion() && (runner.running() > 0 || messages.live() > 0)) {
      boolean stalled = queue.isEmpty();
      throw NetworkException.unfinished(
          stalled ? endPs : options.limitPs(), stalled, messages.live() + " messages", runner.waiting());
    }
  }

  private void deliver(int rank, int message) {
    int source = messages.source(message);
    int destination = messages.destination(message);
    int tag = messages.tag(message);
    arrived(messages, message);
    messages.release(message);
    leave(rank);
    resume(source, destination, tag);
  }

  @Override
  public Measurements measurements() {
    return new Measurements(
        List.of(new Measurements.Part(meter, log, events, 0, 0)), new LinkTraffic(fabric.links(), meter),
        fabric.links(), endPs, options.windowPs(endPs));
  }
}
// end
