package dev.heddle.topology.dragonfly;

/**
 * The dimensions of a dragonfly. Switch {@code s} of group {@code g} is number {@code g * switches + s}. The links from
 * a group to the others are distributed over its switches round robin, beginning with those to the next group.
 *
 * @param groups at least 1
 * @param switches of a group, at least 1
 * @param terminals of a switch, at least 1
 * @param spread switches among which consecutive terminals are distributed round robin, a divisor of the switches
 * @param cables links between every two groups, at least 1
 */
record Shape(int groups, int switches, int terminals, int spread, int cables) {
  /** The terminals that it holds. */
  long capacity() {
    return (long) groups * switches * terminals;
  }

  /** All switches. */
  int all() {
    return Math.multiplyExact(groups, switches);
  }

  /** The links from a group to all others. */
  int groupLinks() {
    return Math.multiplyExact(groups - 1, cables);
  }

  /** The most links of a switch to other groups. */
  int globalPorts() {
    return (groupLinks() + switches - 1) / switches;
  }

  /** The ports that a switch needs. */
  int ports() {
    return terminals + switches - 1 + globalPorts();
  }

  /** The switch of a terminal. */
  int switchOf(int terminal) {
    return terminal / (spread * terminals) * spread + terminal % spread;
  }

  /** The number of a group's link to another, from 0, by cable. */
  int port(int group, int other, int cable) {
    return Math.floorMod(other - group - 1, groups) * cables + cable;
  }

  /** The group at the other end of a group's link. */
  int groupAt(int group, int port) {
    return (group + 1 + port / cables) % groups;
  }

  /** The switch, within its group, of a group's link. */
  int switchAt(int port) {
    return port % switches;
  }
}
