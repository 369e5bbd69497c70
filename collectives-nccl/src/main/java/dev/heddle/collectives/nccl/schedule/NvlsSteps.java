package dev.heddle.collectives.nccl.schedule;

import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Collective;
import dev.heddle.collective.Layout;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.StepKind;
import java.util.Arrays;

/**
 * All_reduce in which NVSwitches add: every rank hands each head's chunks to the switches of its node, which add them up
 * and hand the sum to the head; the heads of the same number exchange sums along a tree between nodes (NVLSTree) or by way
 * of the network's own switches that add (NVLS), and on one node do nothing; each head hands its chunks back to the
 * switches, which multicast them to all ranks of the node. What the switches of one node do is an aggregator's part,
 * numbered after the ranks, node by node; after these come the units of the network.
 */
public final class NvlsSteps {
  private final NvlsDomains teams;
  private final SharpTrees lines;
  private final int channels;
  private final int chunks;
  private final int heads;
  private final int participant;
  private final RankStepsBuilder steps;

  private NvlsSteps(
      NvlsDomains teams, SharpTrees lines, Layout layout, int channels, int participant) {
    this.teams = teams;
    this.lines = lines;
    this.channels = channels;
    this.participant = participant;
    heads = teams.heads();
    chunks = layout.chunksPerBlock() / channels / heads;
    steps = new RankStepsBuilder(layout, participant);
  }

  /**
   * Schedules an all_reduce of at least two ranks.
   *
   * @param lines one of every head on every channel, which follow the teams and begin with channel {@code 2 * channels};
   *     none where heads exchange sums along trees, or there is one team
   * @param collective an all_reduce
   * @param channels side by side
   * @param chunks of each head on each channel, at least 1
   */
  public static Schedule schedule(
      NvlsDomains teams, SharpTrees lines, Collective collective, int channels, int chunks) {
    Layout layout = layout(collective, Math.multiplyExact(channels, Math.multiplyExact(chunks, teams.heads())))
        .withAggregators(teams.teams() + lines.participants());
    boolean trees = teams.teams() > 1 && lines.isEmpty();
    return Schedule.planned(trees ? "NVLSTree" : "NVLS", layout,
        participant -> participant >= teams.ranks() + teams.teams()
            ? lines.allReduce(layout, participant)
            : new NvlsSteps(teams, lines, layout, channels, participant).steps());
  }

  /** A layout with scratch for every chunk twice: as it is added up, and whole. */
  static Layout layout(Collective collective, int chunks) {
    Layout plain = Layout.of(collective, chunks);
    long[] sums = new long[2 * chunks];
    Arrays.setAll(sums, slot -> plain.bytes(0, ChunkRange.input(slot % chunks, 1)));
    return plain.withScratch(sums);
  }

  private RankSteps steps() {
    for (int channel = 0; channel < channels; channel++) {
      if (participant < teams.ranks()) {
        rank(channel);
      } else {
        aggregator(channel, participant - teams.ranks());
      }
    }
    return steps.build();
  }

  // Channels from here on go from the heads back to all.
  private int back(int channel) {
    return channels + channel;
  }

  private int slot(int channel, int head, int chunk) {
    return (channel * heads + head) * chunks + chunk;
  }

  private ChunkRange sum(int channel, int head, int chunk) {
    return ChunkRange.scratch(slot(channel, head, chunk), 1);
  }

  private ChunkRange whole(int channel, int head, int chunk) {
    return ChunkRange.scratch(channels * heads * chunks + slot(channel, head, chunk), 1);
  }

  private void rank(int channel) {
    int team = teams.team(participant);
    int aggregator = teams.ranks() + team;
    int out = steps.threadBlock(channel, aggregator, RankSteps.NONE);
    for (int chunk = 0; chunk < chunks; chunk++) {
      for (int head = 0; head < heads; head++) {
        steps.send(out, ChunkRange.input(slot(channel, head, chunk), 1));
      }
    }
    for (int head = 0; head < heads; head++) {
      if (teams.head(team, head) == participant) {
        head(channel, team, head);
      }
    }
    int in = steps.threadBlock(back(channel), RankSteps.NONE, aggregator);
    for (int chunk = 0; chunk < chunks; chunk++) {
      for (int head = 0; head < heads; head++) {
        steps.receive(in, ChunkRange.output(slot(channel, head, chunk), 1));
      }
    }
  }

  // Takes the node's sums, adds those of the teams below, hands them up, and hands what comes back to the switches.
  private void head(int channel, int team, int head) {
    int[] last = new int[chunks];
    int in = steps.threadBlock(channel, RankSteps.NONE, teams.ranks() + team);
    for (int chunk = 0; chunk < chunks; chunk++) {
      last[chunk] = steps.receive(in, sum(channel, head, chunk));
    }
    int[] below = lines.isEmpty() ? teams.children(channel, team) : new int[0];
    for (int child : below) {
      int block = steps.threadBlock(channel, RankSteps.NONE, teams.head(child, head));
      for (int chunk = 0; chunk < chunks; chunk++) {
        ChunkRange sum = sum(channel, head, chunk);
        last[chunk] = steps.after(steps.step(block, StepKind.RECEIVE_REDUCE_COPY, sum, sum), last[chunk]);
      }
    }
    boolean root = lines.isEmpty() && teams.parent(channel, team) < 0;
    int[] done = root ? last : above(channel, team, head, last);
    int out = steps.threadBlock(back(channel), teams.ranks() + team, RankSteps.NONE);
    for (int chunk = 0; chunk < chunks; chunk++) {
      ChunkRange result = root ? sum(channel, head, chunk) : whole(channel, head, chunk);
      steps.after(steps.send(out, result), done[chunk]);
    }
    for (int child : below) {
      int block = steps.threadBlock(back(channel), teams.head(child, head), RankSteps.NONE);
      for (int chunk = 0; chunk < chunks; chunk++) {
        ChunkRange result = root ? sum(channel, head, chunk) : whole(channel, head, chunk);
        steps.after(steps.send(block, result), done[chunk]);
      }
    }
  }

  private int[] above(int channel, int team, int head, int[] sums) {
    int line = channel * heads + head;
    boolean tree = lines.isEmpty();
    int parent = tree ? teams.head(teams.parent(channel, team), head) : lines.above(line, team);
    int up = steps.threadBlock(tree ? channel : lines.channel(line), parent, RankSteps.NONE);
    int down = steps.threadBlock(tree ? back(channel) : lines.channel(line), RankSteps.NONE, parent);
    int[] done = new int[chunks];
    for (int chunk = 0; chunk < chunks; chunk++) {
      steps.after(steps.send(up, sum(channel, head, chunk)), sums[chunk]);
      done[chunk] = steps.receive(down, whole(channel, head, chunk));
    }
    return done;
  }

  private void aggregator(int channel, int team) {
    int[] members = teams.members(team);
    int[][] last = new int[heads][chunks];
    for (int i = 0; i < members.length; i++) {
      int block = steps.threadBlock(channel, RankSteps.NONE, members[i]);
      for (int chunk = 0; chunk < chunks; chunk++) {
        for (int head = 0; head < heads; head++) {
          ChunkRange sum = sum(channel, head, chunk);
          last[head][chunk] = i == 0
              ? steps.receive(block, sum)
              : steps.after(steps.step(block, StepKind.RECEIVE_REDUCE_COPY, sum, sum), last[head][chunk]);
        }
      }
    }
    int[][] returned = new int[heads][chunks];
    for (int head = 0; head < heads; head++) {
      int owner = teams.head(team, head);
      int out = steps.threadBlock(channel, owner, RankSteps.NONE);
      int in = steps.threadBlock(back(channel), RankSteps.NONE, owner);
      for (int chunk = 0; chunk < chunks; chunk++) {
        steps.after(steps.send(out, sum(channel, head, chunk)), last[head][chunk]);
        returned[head][chunk] = steps.receive(in, whole(channel, head, chunk));
      }
    }
    for (int member : members) {
      int block = steps.threadBlock(back(channel), member, RankSteps.NONE);
      for (int chunk = 0; chunk < chunks; chunk++) {
        for (int head = 0; head < heads; head++) {
          steps.after(steps.send(block, whole(channel, head, chunk)), returned[head][chunk]);
        }
      }
    }
  }
}
