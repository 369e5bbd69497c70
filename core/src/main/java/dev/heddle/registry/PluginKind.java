package dev.heddle.registry;

import com.google.common.collect.ImmutableList;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveAlgorithmProvider;
import dev.heddle.spi.Link;
import dev.heddle.spi.LinkProvider;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Switch;
import dev.heddle.spi.SwitchProvider;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.spi.TransportProtocolProvider;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadProvider;
import dev.heddle.tier.Topology;
import dev.heddle.tier.TopologyProvider;
import java.util.List;

/**
 * A kind of building block that plug-ins provide. The constants are the SPI of core; another module or jar adds a kind
 * by a public subclass with a constructor without parameters, listed in
 * {@code META-INF/services/dev.heddle.registry.PluginKind}. Kinds with the same provider interface are equal.
 */
public class PluginKind {
  /** Links. */
  public static final PluginKind LINK = new PluginKind(LinkProvider.class, Link.class);
  /** Switches. */
  public static final PluginKind SWITCH = new PluginKind(SwitchProvider.class, Switch.class);
  /** Topologies. */
  public static final PluginKind TOPOLOGY = new PluginKind(TopologyProvider.class, Topology.class);
  /** Workloads. */
  public static final PluginKind WORKLOAD = new PluginKind(WorkloadProvider.class, Workload.class);
  /** Algorithms of collectives. */
  public static final PluginKind COLLECTIVE_ALGORITHM =
      new PluginKind(CollectiveAlgorithmProvider.class, CollectiveAlgorithm.class);
  /** Transport protocols. */
  public static final PluginKind TRANSPORT_PROTOCOL =
      new PluginKind(TransportProtocolProvider.class, TransportProtocol.class);

  static final List<PluginKind> CORE =
      ImmutableList.of(LINK, SWITCH, TOPOLOGY, WORKLOAD, COLLECTIVE_ALGORITHM, TRANSPORT_PROTOCOL);

  private final Class<? extends Provider<?, ?>> service;
  private final Class<?> product;

  /**
   * A kind of building block.
   *
   * @param service the provider's interface
   * @param product the interface of the providers' products; settings of this type are bound by the kind
   */
  @SuppressWarnings({"unchecked", "rawtypes"})
  protected PluginKind(Class<? extends Provider> service, Class<?> product) {
    this.service = (Class<? extends Provider<?, ?>>) service;
    this.product = product;
  }

  /** The name in messages and on the command line, such as {@code link} or {@code collective-algorithm}. */
  public final String key() {
    return SettingsSchema.key(product.getSimpleName());
  }

  /** The provider's interface, under whose name {@code META-INF/services} lists implementations. */
  public final Class<? extends Provider<?, ?>> service() {
    return service;
  }

  /** The type of the products of this kind's providers. */
  public final Class<?> product() {
    return product;
  }

  @Override
  public final boolean equals(Object other) {
    return other instanceof PluginKind kind && kind.service == service;
  }

  @Override
  public final int hashCode() {
    return service.hashCode();
  }

  /** The key. */
  @Override
  public final String toString() {
    return key();
  }
}
