package dev.heddle.collectives.nccl.rccl;

import com.google.common.collect.ImmutableList;
import com.google.common.math.IntMath;
import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.Group;
import dev.heddle.collectives.nccl.schedule.Rings;
import dev.heddle.collectives.nccl.search.Placement;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.Medium;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The orders in which RCCL's rings pass the ranks of a group. Whole nodes of eight GPUs with a link between every two
 * are in its table of known machines: within a node 14 rings use each directed link twice, between nodes eight chains
 * use each link once, and each enters a node at another GPU's NIC [ROCm/rccl, graph/rome_models.cc, the models of
 * MI300X]; so are the eight dies of a node of MI250X, whose eight rings go over their links alone [the model of four
 * NICs and links of one, two and four lanes]. Four ranks of a node with links between all have all rings that there
 * are, and other numbers those of strides without a common divisor, which is a choice; rings between parts of nodes
 * enter at each rank in turn. Other groups have one ring in the order of ranks.
 */
public final class RingOrders implements Rings {
  private static final int KNOWN = 8;
  private static final int FEW = 4;
  private static final ImmutableList<ImmutableIntArray> WITHIN = orders(
      "01234567", "01234576", "02413657", "02461735", "03152746", "03516274", "04173625",
      "76543210", "67543210", "75631420", "53716420", "64725130", "47261530", "52637140");
  // All rings of four, which use each directed link twice.
  private static final ImmutableList<ImmutableIntArray> OF_FOUR =
      orders("0123", "0132", "0213", "0231", "0312", "0321");
  private static final ImmutableList<ImmutableIntArray> BETWEEN = orders(
      "01234567", "10243576", "25036174", "37042165", "46273051", "54713260", "63140752", "72064153");
  private static final ImmutableList<ImmutableIntArray> DIES = orders(
      "01324576", "23106754", "76015423", "10673245", "45760132", "67542310", "54237601", "32451067");

  private final ImmutableList<ImmutableIntArray> orders;
  private final ImmutableList<ImmutableIntArray> positions;

  private RingOrders(List<int[]> orders) {
    this.orders = orders.stream().map(ImmutableIntArray::copyOf).collect(ImmutableList.toImmutableList());
    positions = orders.stream().map(RingOrders::inverse).collect(ImmutableList.toImmutableList());
  }

  /**
   * The rings of a group.
   *
   * @param placement of the group's ranks
   */
  public static RingOrders of(Cluster cluster, Group group, Placement placement) {
    if (!placement.isEven()) {
      return new RingOrders(List.of(IntStream.range(0, group.size()).toArray()));
    }
    int nodes = placement.nodes();
    BiPredicate<Integer, Integer> linked = (one, other) -> {
      int[] route = cluster.route(group.member(placement.rank(0, one)), group.member(placement.rank(0, other)));
      return route.length == 1 && cluster.nominalLink(route[0]).medium() == Medium.PEER;
    };
    return new RingOrders(local(placement.ranks(0), nodes > 1, linked).stream()
        .map(order -> IntStream.range(0, nodes)
            .flatMap(node -> order.stream().map(place -> placement.rank(node, place))).toArray())
        .toList());
  }

  // The orders of a node's ranks: the first of the known ones that go over links alone.
  private static List<ImmutableIntArray> local(int ranks, boolean networked, BiPredicate<Integer, Integer> linked) {
    Stream<ImmutableList<ImmutableIntArray>> known = switch (ranks) {
      case KNOWN -> Stream.of(networked ? BETWEEN : WITHIN, DIES);
      case FEW -> networked ? Stream.empty() : Stream.of(OF_FOUR);
      default -> Stream.empty();
    };
    return known.filter(orders -> orders.stream().allMatch(order -> linked(order, networked, linked))).findFirst()
        .orElseGet(() -> networked
            ? IntStream.range(0, ranks).mapToObj(first -> order(ranks, first, 1))
                .collect(ImmutableList.toImmutableList())
            : IntStream.range(1, Math.max(2, ranks)).filter(stride -> IntMath.gcd(stride, ranks) == 1)
                .mapToObj(stride -> order(ranks, 0, stride))
                .filter(order -> order.get(1 % ranks) == 1 % ranks || linked(order, false, linked))
                .collect(ImmutableList.toImmutableList()));
  }

  // Whether all ranks of an order have a link to the next, and the last to the first of a ring within a node.
  private static boolean linked(ImmutableIntArray order, boolean networked, BiPredicate<Integer, Integer> linked) {
    return IntStream.range(networked ? 1 : 0, order.length())
        .allMatch(i -> linked.test(order.get((i + order.length() - 1) % order.length()), order.get(i)));
  }

  private static ImmutableIntArray order(int ranks, int first, int stride) {
    return ImmutableIntArray.copyOf(IntStream.range(0, ranks).map(i -> (first + i * stride) % ranks));
  }

  private static ImmutableList<ImmutableIntArray> orders(String... digits) {
    return Arrays.stream(digits)
        .map(each -> ImmutableIntArray.copyOf(each.chars().map(Character::getNumericValue)))
        .collect(ImmutableList.toImmutableList());
  }

  private static ImmutableIntArray inverse(int[] order) {
    int[] positions = new int[order.length];
    for (int position = 0; position < order.length; position++) {
      positions[order[position]] = position;
    }
    return ImmutableIntArray.copyOf(positions);
  }

  @Override
  public int channels() {
    return orders.size();
  }

  @Override
  public int ranks() {
    return orders.get(0).length();
  }

  @Override
  public int position(int channel, int rank) {
    return positions.get(channel).get(rank);
  }

  @Override
  public int rank(int channel, int position) {
    return orders.get(channel).get(position);
  }
}
