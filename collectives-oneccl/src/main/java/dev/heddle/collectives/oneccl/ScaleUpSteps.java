package dev.heddle.collectives.oneccl;

import dev.heddle.collective.Buffer;
import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.StepKind;
import java.util.ArrayList;
import java.util.List;

/**
 * One rank's exchanges within its node: with every other member of a team it exchanges a part of the team's data, and
 * adds; later it sends its sums to every other member.
 */
final class ScaleUpSteps {
  private final RankStepsBuilder steps;
  private final int channel;
  private final int own;
  private final int[] members;
  private final int[] blocks;

  /**
   * Joins a team.
   *
   * @param steps of the rank
   * @param channel of the team's connections
   * @param own position of the rank in the team
   * @param members ranks of the team
   */
  ScaleUpSteps(RankStepsBuilder steps, int channel, int own, int[] members) {
    this.steps = steps;
    this.channel = channel;
    this.own = own;
    this.members = members;
    blocks = new int[members.length];
  }

  /**
   * Reduces and scatters chunks: each member keeps the part of its position.
   *
   * @param first of the chunks
   * @param width of a member's part
   * @param data buffer of the chunks; sums go to the output
   * @param after the step to wait for, or {@link RankSteps#NONE}
   * @return the step after which the sums are complete
   */
  int reduceScatter(int first, int width, Buffer data, int after) {
    int last = after;
    Buffer read = data;
    ChunkRange sums = ChunkRange.output(first + own * width, width);
    for (int distance = 1; distance < members.length; distance++) {
      int to = (own + distance) % members.length;
      blocks[to] = steps.threadBlock(channel, members[to], members[to]);
      steps.after(steps.send(blocks[to], new ChunkRange(data, first + to * width, width)), after);
    }
    for (int distance = 1; distance < members.length; distance++) {
      int from = Math.floorMod(own - distance, members.length);
      last = steps.after(
          steps.step(
              blocks[from], StepKind.RECEIVE_REDUCE_COPY, new ChunkRange(read, first + own * width, width), sums),
          last);
      read = Buffer.OUTPUT;
    }
    return last;
  }

  /**
   * Gathers the members' sums.
   *
   * @param first of the chunks
   * @param width of a member's part
   * @param after the steps to wait for
   * @return the steps after which all sums are there
   */
  List<Integer> allGather(int first, int width, List<Integer> after) {
    List<Integer> last = new ArrayList<>(after);
    for (int distance = 1; distance < members.length; distance++) {
      int to = (own + distance) % members.length;
      int send = steps.send(blocks[to], ChunkRange.output(first + own * width, width));
      after.forEach(step -> steps.after(send, step));
      last.add(steps.receive(blocks[to], ChunkRange.output(first + to * width, width)));
    }
    return last;
  }
}
