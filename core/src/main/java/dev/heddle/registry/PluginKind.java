package dev.heddle.registry;

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
import java.util.Arrays;
import java.util.Optional;

/** The kinds of building block that plug-ins provide: one per SPI of the core. */
public enum PluginKind {
  /** Links. */
  LINK(LinkProvider.class, Link.class),
  /** Switches. */
  SWITCH(SwitchProvider.class, Switch.class),
  /** Topologies. */
  TOPOLOGY(TopologyProvider.class, Topology.class),
  /** Workloads. */
  WORKLOAD(WorkloadProvider.class, Workload.class),
  /** Algorithms of collectives. */
  COLLECTIVE_ALGORITHM(CollectiveAlgorithmProvider.class, CollectiveAlgorithm.class),
  /** Transport protocols. */
  TRANSPORT_PROTOCOL(TransportProtocolProvider.class, TransportProtocol.class);

  private final Class<? extends Provider<?, ?>> service;
  private final Class<?> product;

  @SuppressWarnings({"unchecked", "rawtypes"})
  PluginKind(Class<? extends Provider> service, Class<?> product) {
    this.service = (Class<? extends Provider<?, ?>>) service;
    this.product = product;
  }

  /** The name in messages and on the command line, such as {@code link} or {@code collective-algorithm}. */
  public String key() {
    return SettingsSchema.key(product.getSimpleName());
  }

  /** The provider's interface, under whose name {@code META-INF/services} lists implementations. */
  public Class<? extends Provider<?, ?>> service() {
    return service;
  }

  /** The type of the products of this kind's providers. */
  public Class<?> product() {
    return product;
  }

  /** The kind that makes products of a type. */
  public static Optional<PluginKind> ofProduct(Class<?> type) {
    return Arrays.stream(values()).filter(kind -> kind.product == type).findFirst();
  }
}
