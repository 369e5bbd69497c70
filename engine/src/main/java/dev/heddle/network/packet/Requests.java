package dev.heddle.network.packet;

/**
 * Requests for output channels: one bit for each requester of the device. The bits of a channel belong to the
 * partition of its source.
 */
final class Requests {
  private static final int NONE = NetworkState.NONE;

  private final Links links;
  private final VirtualChannels channels;
  private final long[] words;
  // For each link by its place, a bit for each of its channels that somebody asks for.
  private final int[] asked;
  private final int[] place;

  Requests(Links links, VirtualChannels channels, NetworkPlan plan) {
    this.links = links;
    this.channels = channels;
    words = new long[plan.requestWordCount];
    place = plan.place;
    asked = new int[plan.links];
  }

  void set(int channel, int requester) {
    words[channels.requestWord(channel) + (requester >> 6)] |= 1L << requester;
    int link = channels.link(channel);
    asked[place[link]] |= 1 << channel - links.firstChannel(link);
  }

  void clear(int channel, int requester) {
    long left = words[channels.requestWord(channel) + (requester >> 6)] &= ~(1L << requester);
    if (left == 0 && (channels.requestWords(channel) == 1 || !any(channel))) {
      int link = channels.link(channel);
      asked[place[link]] &= ~(1 << channel - links.firstChannel(link));
    }
  }

  /** Which of a link's channels somebody asks for: a bit for each, from its first. */
  int asked(int link) {
    return asked[place[link]];
  }

  /** The bits of requesters 64 n to 64 n + 63. */
  long word(int channel, int n) {
    return words[channels.requestWord(channel) + n];
  }

  boolean any(int channel) {
    int word = channels.requestWord(channel);
    for (int n = 0; n < channels.requestWords(channel); n++) {
      if (words[word + n] != 0) {
        return true;
      }
    }
    return false;
  }

  /** The next requester after one, in cyclic order; after {@link NetworkState#NONE}, the lowest. */
  int next(int channel, int after) {
    int word = channels.requestWord(channel);
    int count = channels.requestWords(channel);
    int start = after + 1 == count << 6 ? 0 : after + 1;
    if (count == 1) {
      long bits = words[word];
      if (bits == 0) {
        return NONE;
      }
      long above = bits & (-1L << start);
      return Long.numberOfTrailingZeros(above != 0 ? above : bits);
    }
    for (int i = 0; i <= count; i++) {
      int n = ((start >> 6) + i) % count;
      long bits = words[word + n];
      if (i == 0) {
        bits &= -1L << start;
      }
      if (bits != 0) {
        return (n << 6) + Long.numberOfTrailingZeros(bits);
      }
    }
    return NONE;
  }
}
