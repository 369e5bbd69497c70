package dev.heddle.collective;

import java.util.Arrays;

/** A communicator: distinct members in order; position {@code i} is rank {@code i} of its collectives. */
public final class Group {
  private final int[] members;

  private Group(int[] members) {
    this.members = members;
  }

  /**
   * Makes a group.
   *
   * @param members terminals of a cluster, or ranks of a program, in order
   * @throws IllegalArgumentException when there is none, one is negative, or one occurs twice
   */
  public static Group of(int... members) {
    if (members.length == 0) {
      throw new IllegalArgumentException("a group has at least one member");
    }
    int[] sorted = members.clone();
    Arrays.sort(sorted);
    if (sorted[0] < 0) {
      throw new IllegalArgumentException("a group's members are numbered from 0: " + sorted[0]);
    }
    for (int i = 1; i < sorted.length; i++) {
      if (sorted[i] == sorted[i - 1]) {
        throw new IllegalArgumentException("a group's members are distinct, but " + sorted[i] + " occurs twice");
      }
    }
    return new Group(members.clone());
  }

  /** The group of members 0 to {@code size - 1}. */
  public static Group ofFirst(int size) {
    int[] members = new int[size];
    Arrays.setAll(members, i -> i);
    return of(members);
  }

  /** The number of members. */
  public int size() {
    return members.length;
  }

  /** The member at a rank. */
  public int member(int rank) {
    return members[rank];
  }

  /** The members, in order; the caller's own copy. */
  public int[] members() {
    return members.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Group group && Arrays.equals(members, group.members);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(members);
  }

  @Override
  public String toString() {
    return Arrays.toString(members);
  }
}
