package dev.heddle.collectives.nccl.env;

import com.google.common.collect.ImmutableMap;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.NearestMatch;
import dev.heddle.spi.Retransmission;
import dev.heddle.units.SimTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/** A version of NCCL and the values of its environment variables; immutable. */
public final class NcclConfig {
  private static final String PREFIX = "NCCL_";
  private static final String TESTS_PREFIX = "NCCL_TESTS_";
  private static final int TCP_RETRIES = 15;

  private final NcclVersion version;
  private final ImmutableMap<Variable<?>, Object> values;
  private final ImmutableMap<String, String> texts;

  private NcclConfig(NcclVersion version, Map<Variable<?>, Object> values, Map<String, String> texts) {
    this.version = version;
    this.values = ImmutableMap.copyOf(values);
    this.texts = ImmutableMap.copyOf(texts);
  }

  /** A configuration without variables. */
  public static NcclConfig of(NcclVersion version) {
    return new NcclConfig(version, Map.of(), Map.of());
  }

  /**
   * A configuration with variables.
   *
   * @param variables by name; all begin with NCCL_
   * @throws InvalidSettingException when a name is unknown, a value is invalid, or two values contradict
   */
  public static NcclConfig of(NcclVersion version, Map<String, String> variables) {
    Map<Variable<?>, Object> values = new LinkedHashMap<>();
    TreeMap<String, String> texts = new TreeMap<>(variables);
    texts.forEach((name, text) -> {
      if (!Environment.WITHOUT_EFFECT.contains(name)) {
        Variable<?> variable = variable(name);
        values.put(variable, variable.parse(text));
      }
    });
    NcclConfig config = new NcclConfig(version, values, texts);
    config.check();
    return config;
  }

  /**
   * A configuration from the environment of a process. Variables that are not of NCCL or RCCL, and those of
   * nccl-tests, are ignored.
   *
   * @param process all variables of the process
   */
  public static NcclConfig ofProcess(NcclVersion version, Map<String, String> process) {
    Map<String, String> variables = new TreeMap<>(process);
    variables.keySet().removeIf(name -> !name.startsWith(PREFIX) && !name.equals(Environment.MSCCL_ENABLE.name())
        || name.startsWith(TESTS_PREFIX));
    return of(version, variables);
  }

  /**
   * The version and the variables as they were given, by which configurations are equal.
   *
   * @param version of NCCL
   * @param variables by name
   */
  public record Identity(NcclVersion version, Map<String, String> variables) {}

  /** The version and the variables. */
  public Identity identity() {
    return new Identity(version, texts);
  }

  /** The version. */
  public NcclVersion version() {
    return version;
  }

  /** The value of a variable, or its default. */
  @SuppressWarnings("unchecked") // each value was made by the parser of its variable
  public <T> T get(Variable<T> variable) {
    T value = (T) values.get(variable);
    return value == null ? variable.defaultValue() : value;
  }

  /** Whether a variable is set. */
  public boolean isSet(Variable<?> variable) {
    return values.containsKey(variable);
  }

  /** The texts of the variables that are set, by name. */
  public Map<String, String> texts() {
    return texts;
  }

  /** Whether each message is split over all queue pairs of its connection instead of alternating between them. */
  public boolean splitsMessages() {
    boolean byDefault = version.minor() == 18 || version.minor() == 19;
    return get(Environment.IB_SPLIT_DATA_ON_QPS).map(value -> value == 1).orElse(byDefault);
  }

  /**
   * The size above which messages are routed adaptively and followed by a message of 0 bytes; empty without adaptive
   * routing.
   *
   * @param infiniband whether the network is InfiniBand, not converged Ethernet
   */
  public OptionalInt adaptiveAbove(boolean infiniband) {
    boolean adaptive = get(Environment.IB_ADAPTIVE_ROUTING).map(value -> value == 1).orElse(infiniband);
    return adaptive ? OptionalInt.of(get(Environment.IB_AR_THRESHOLD)) : OptionalInt.empty();
  }

  /** Whether nodes communicate by sockets instead of RDMA. */
  public boolean sockets() {
    return get(Environment.IB_DISABLE) || get(Environment.NET).filter(kind -> kind == NetKind.SOCKET).isPresent();
  }

  /**
   * Retransmission after packet loss: of RDMA by the queue pairs' timeout and retry count; of sockets as in Linux,
   * after at least 200 ms and up to 15 times [Linux: TCP_RTO_MIN; ip-sysctl, tcp_retries2].
   */
  public Retransmission retransmission() {
    return sockets()
        ? new Retransmission(SimTime.parse("200 ms").ps(), TCP_RETRIES)
        : Retransmission.verbs(get(Environment.IB_TIMEOUT), get(Environment.IB_RETRY_CNT));
  }

  private static Variable<?> variable(String name) {
    List<String> names = new ArrayList<>();
    for (Variable<?> variable : Environment.ALL) {
      if (variable.name().equals(name)) {
        return variable;
      }
      names.add(variable.name());
    }
    names.addAll(Environment.WITHOUT_EFFECT);
    throw new InvalidSettingException(
        "environment", "NCCL has no variable " + name + " that is known here" + NearestMatch.hint(name, names));
  }

  private void check() {
    ordered(Environment.MIN_P2P_NCHANNELS.name(), get(Environment.MIN_P2P_NCHANNELS),
        Environment.MAX_P2P_NCHANNELS.name(), get(Environment.MAX_P2P_NCHANNELS));
    get(Environment.MIN_CTAS).ifPresent(least -> get(Environment.MAX_CTAS)
        .ifPresent(most -> ordered(Environment.MIN_CTAS.name(), least, Environment.MAX_CTAS.name(), most)));
  }

  private static void ordered(String least, int leastValue, String most, int mostValue) {
    if (leastValue > mostValue) {
      throw new InvalidSettingException(
          "environment", least + "=" + leastValue + " is more than " + most + "=" + mostValue);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof NcclConfig that && version.equals(that.version) && texts.equals(that.texts);
  }

  @Override
  public int hashCode() {
    return 31 * version.hashCode() + texts.hashCode();
  }

  @Override
  public String toString() {
    return "NCCL " + version + " " + texts;
  }
}
