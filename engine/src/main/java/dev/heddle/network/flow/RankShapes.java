package dev.heddle.network.flow;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.engine.Job;
import dev.heddle.internal.collect.LongLongMap;
import dev.heddle.units.RandomStream;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Shapes of the ranks' programs, which are read once in advance, operation by operation. Programs of one shape do the
 * same, but with other peers and in other groups: these are numbered, as slots, in the order of their first occurrence
 * or of their {@linkplain Program#template template}, which spares the reading of all programs but one.
 * A rank needs an integer per slot, a shape its distinct messages and calls.
 */
final class RankShapes {
  private static final int NONE = -1;
  private static final int[] NO_SLOTS = {};

  /** The most peers of a rank, and the most groups. */
  private static final int MOST_SLOTS = 64;

  /** The shapes that any number of ranks may have without an end of the search. */
  private static final int FEW = 256;

  /** A kind of messages to the peer of a slot. */
  record Message(int slot, long bytes, int service) {}

  /** A kind of collective calls in the group of a slot. */
  record Call(int slot, CollectiveOp op, long bytes, int root) {}

  /** The distinct messages and calls of programs, in the order of their first occurrence. */
  private record Shape(int number, List<Message> messages, List<Call> calls) {}

  private final List<Shape> shapes = new ArrayList<>();
  private final Map<Object, Shape> byTemplate = new LinkedHashMap<>();
  private final LongLongMap byHash = new LongLongMap(NONE);
  private final int[] shapeOf;
  private final int[][] peers;
  private final int[][] groups;

  // Slots of the program that is being read.
  private final int[] peerSlots = new int[MOST_SLOTS];
  private final int[] groupSlots = new int[MOST_SLOTS];
  private int peerCount;
  private int groupCount;
  private long hash;

  private RankShapes(int ranks) {
    shapeOf = new int[ranks];
    peers = new int[ranks][];
    groups = new int[ranks][];
  }

  /** Reads the programs of a job; empty where they cannot be read in advance, or hardly two are alike. */
  static Optional<RankShapes> read(Job job) {
    RankShapes read = new RankShapes(job.ranks());
    for (int rank = 0; rank < job.ranks(); rank++) {
      if (!read.add(rank, job.programs())) {
        return Optional.empty();
      }
    }
    return Optional.of(read);
  }

  // Of programs with a template one is read, of others each: those are known by their hashes.
  private boolean add(int rank, IntFunction<Program> programs) {
    Program program = programs.apply(rank);
    Program.Template template = program.template()
        .filter(each -> each.peers().length <= MOST_SLOTS && each.groups().length <= MOST_SLOTS).orElse(null);
    take(template == null ? NO_SLOTS : template.peers(), template == null ? NO_SLOTS : template.groups());
    if (template == null && !read(program, null)) {
      return false;
    }
    peers[rank] = Arrays.copyOf(peerSlots, peerCount);
    groups[rank] = Arrays.copyOf(groupSlots, groupCount);
    int known = (int) byHash.get(hash);
    Shape shape = template != null ? byTemplate.get(template.operations()) : known == NONE ? null : shapes.get(known);
    if (shape == null) {
      shape = shape(rank, programs);
      if (shape == null || shape.number() > FEW + rank / 4) {
        return false;
      }
      shapes.add(shape);
      if (template == null) {
        byHash.put(hash, shape.number());
      } else {
        byTemplate.put(template.operations(), shape);
      }
    }
    shapeOf[rank] = shape.number();
    return true;
  }

  private @Nullable Shape shape(int rank, IntFunction<Program> programs) {
    Kinds kinds = new Kinds(new LinkedHashSet<>(), new LinkedHashSet<>());
    if (!read(programs.apply(rank), kinds)) {
      return null;
    }
    if (peerCount != peers[rank].length || groupCount != groups[rank].length) {
      throw new IllegalStateException("the program of rank " + rank + " has other peers or groups than its template");
    }
    return new Shape(shapes.size(), List.copyOf(kinds.messages), List.copyOf(kinds.calls));
  }

  private void take(int[] ofPeers, int[] ofGroups) {
    peerCount = ofPeers.length;
    groupCount = ofGroups.length;
    System.arraycopy(ofPeers, 0, peerSlots, 0, peerCount);
    System.arraycopy(ofGroups, 0, groupSlots, 0, groupCount);
  }

  private record Kinds(Set<Message> messages, Set<Call> calls) {}

  // Hashes all operations, stream by stream; false where a program cannot be folded.
  private boolean read(Program program, @Nullable Kinds kinds) {
    if (program.reactive()) {
      return false;
    }
    Operation op = new Operation();
    hash = program.streams();
    for (int stream = 0; stream < program.streams(); stream++) {
      hash = RandomStream.mix(hash + stream);
      while (program.next(stream, op)) {
        long fields = fields(op);
        if (fields == NONE) {
          return false;
        }
        hash = RandomStream.mix(hash ^ fields) + op.timePs();
        if (kinds != null) {
          note(op, kinds);
        }
      }
    }
    return true;
  }

  // A number of the operation's fields but for its time, or -1 where no rank can stand for others.
  private long fields(Operation op) {
    long common = (op.activity() * 31L + op.pass()) * 16 + op.kind().ordinal();
    switch (op.kind()) {
      case COMPUTE :
        return RandomStream.mix(common) + op.tag() >>> 1;
      case SIGNAL :
      case AWAIT :
        return RandomStream.mix(RandomStream.mix(common) + op.tag()) + op.bytes() >>> 1;
      case SEND :
      case RECEIVE :
        int peer = peerSlot(op.peer());
        long message = op.kind() == Operation.Kind.SEND ? RandomStream.mix(op.bytes()) + op.label() : 0;
        return peer == NONE ? NONE
            : RandomStream.mix(RandomStream.mix(RandomStream.mix(common) + op.tag()) + peer) + message >>> 1;
      case COLLECTIVE :
        int group = groupSlot(op.tag());
        return group == NONE || op.collectiveOp() == CollectiveOp.ALL_TO_ALL_V ? NONE
            : RandomStream.mix(RandomStream.mix(RandomStream.mix(common) + op.collectiveOp().ordinal()) + group)
                + RandomStream.mix(op.bytes()) + op.peer() >>> 1;
      default :
        return NONE;
    }
  }

  private void note(Operation op, Kinds kinds) {
    if (op.kind() == Operation.Kind.SEND) {
      kinds.messages.add(new Message(peerSlot(op.peer()), op.bytes(), op.label()));
    } else if (op.kind() == Operation.Kind.COLLECTIVE) {
      kinds.calls.add(new Call(groupSlot(op.tag()), op.collectiveOp(), op.bytes(), op.peer()));
    }
  }

  private int peerSlot(int peer) {
    int slot = slot(peerSlots, peerCount, peer);
    peerCount = Math.max(peerCount, slot + 1);
    return slot;
  }

  private int groupSlot(int group) {
    int slot = slot(groupSlots, groupCount, group);
    groupCount = Math.max(groupCount, slot + 1);
    return slot;
  }

  private static int slot(int[] slots, int count, int value) {
    for (int slot = 0; slot < count; slot++) {
      if (slots[slot] == value) {
        return slot;
      }
    }
    if (count == MOST_SLOTS) {
      return NONE;
    }
    slots[count] = value;
    return count;
  }

  /** The number of ranks. */
  int ranks() {
    return shapeOf.length;
  }

  /** The number of a rank's shape. */
  int shape(int rank) {
    return shapeOf[rank];
  }

  /** The peer of each slot of a rank; not to be changed. */
  int[] peers(int rank) {
    return peers[rank];
  }

  /** The group of each slot of a rank; not to be changed. */
  int[] groups(int rank) {
    return groups[rank];
  }

  /** The kinds of messages that a rank sends. */
  List<Message> messages(int rank) {
    return shapes.get(shapeOf[rank]).messages();
  }

  /** The kinds of calls that a rank takes part in. */
  List<Call> calls(int rank) {
    return shapes.get(shapeOf[rank]).calls();
  }

  /** The slot of a peer of a rank; -1 where it is none. */
  int slotOfPeer(int rank, int peer) {
    return index(peers[rank], peer);
  }

  /** The slot of a group of a rank; -1 where the rank takes no part in it. */
  int slotOfGroup(int rank, int group) {
    return index(groups[rank], group);
  }

  private static int index(int[] slots, int value) {
    for (int slot = 0; slot < slots.length; slot++) {
      if (slots[slot] == value) {
        return slot;
      }
    }
    return NONE;
  }
}
