package dev.heddle.kernel;

import com.google.common.collect.ImmutableList;
import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Kernel times of all sources. A query is answered by the table of that accelerator whose interval is narrowest, or of
 * software that is faster by more than its interval; without one by a kindred kernel of the same accelerator; without
 * that by the nearest accelerators, carried over by the resources that their tables tell; and last by the roofline of
 * the data sheet. Tables are read when they are first asked for. May be used by several threads.
 */
public final class KernelLibrary {
  private static final double ROOFLINE_ERROR = 0.60;

  private final GpuCatalog gpus;
  private final Map<TableId, KernelSource> sources = new LinkedHashMap<>();
  private final Map<TableId, KernelTable> open = new LinkedHashMap<>();
  private final Kindred kindred = new Kindred(this);
  private final Transfer transfer = new Transfer(this);

  private KernelLibrary(GpuCatalog gpus, List<KernelSource> all) {
    this.gpus = gpus;
    for (KernelSource source : all) {
      for (TableId id : source.tables()) {
        sources.putIfAbsent(id, source);
      }
    }
  }

  /**
   * A library of given sources; where two have a table of one name, the first counts.
   *
   * @param gpus data sheets of all accelerators that tables name
   */
  public static KernelLibrary of(GpuCatalog gpus, List<KernelSource> sources) {
    return new KernelLibrary(gpus, sources);
  }

  /** The sources that a class loader finds, by their ids. */
  public static KernelLibrary load(ClassLoader loader) {
    return load(loader, GpuCatalog.bundled(), List.of());
  }

  /**
   * The sources that a class loader finds, behind others.
   *
   * @param gpus data sheets of all accelerators that tables name
   * @throws InvalidSettingException when two providers have the same id
   */
  public static KernelLibrary load(ClassLoader loader, GpuCatalog gpus, List<KernelSource> before) {
    Map<String, KernelSourceProvider> providers = new TreeMap<>();
    for (KernelSourceProvider provider : ServiceLoader.load(KernelSourceProvider.class, loader)) {
      KernelSourceProvider other = providers.put(provider.id(), provider);
      if (other != null) {
        throw new InvalidSettingException("", "two sources of kernels are called " + provider.id() + ": "
            + other.getClass().getName() + " and " + provider.getClass().getName());
      }
    }
    List<KernelSource> all = new ArrayList<>(before);
    providers.values().forEach(provider -> all.add(provider.open(gpus)));
    return new KernelLibrary(gpus, all);
  }

  /** The same without the tables that a condition holds for, as for one accelerator left out. */
  public KernelLibrary without(Predicate<TableId> left) {
    Map<TableId, KernelTable> kept = new LinkedHashMap<>();
    for (TableId id : sources.keySet()) {
      if (!left.test(id)) {
        kept.put(id, table(id));
      }
    }
    return new KernelLibrary(gpus, List.of(new KernelTables(kept)));
  }

  /** Data sheets. */
  public GpuCatalog gpus() {
    return gpus;
  }

  /** Names of all tables. */
  public List<TableId> tables() {
    return ImmutableList.copyOf(sources.keySet());
  }

  /**
   * Reads a table, or gives the one that was read before.
   *
   * @param id one of {@link #tables}
   */
  public KernelTable table(TableId id) {
    synchronized (open) {
      KernelTable known = open.get(id);
      if (known != null) {
        return known;
      }
      KernelSource source = sources.get(id);
      if (source == null) {
        throw new IllegalArgumentException("there is no table " + id);
      }
      KernelTable table = source.open(id);
      open.put(id, table);
      return table;
    }
  }

  /** Whether a kind of kernel was measured on an accelerator in a format. */
  public boolean holds(GpuSpec gpu, KernelKind kind, NumberFormat format) {
    return named(gpu, kind, format).findAny().isPresent();
  }

  /** Whether a table of this kernel on this accelerator was measured with the software that a query names. */
  boolean holdsSoftware(KernelQuery query) {
    String software = TableId.software(query.variant());
    return named(query.gpu(), query.kind(), query.format()).anyMatch(id -> id.software().equals(software));
  }

  /** Tables of an accelerator, kind and format; of one variant where it is not empty. */
  List<KernelTable> tables(GpuSpec gpu, KernelKind kind, NumberFormat format, String variant) {
    return named(gpu, kind, format).filter(id -> variant.isEmpty() || id.variant().equals(variant)).map(this::table)
        .toList();
  }

  private Stream<TableId> named(GpuSpec gpu, KernelKind kind, NumberFormat format) {
    return sources.keySet().stream()
        .filter(id -> id.gpu().equals(gpu.id()) && id.kind() == kind && id.format() == format);
  }

  /**
   * The time of a kernel: the best that is known. The software that a query names goes before other software of the
   * same accelerator, also where only another accelerator's times with it are known.
   */
  public KernelEstimate estimate(KernelQuery query) {
    return ofSoftware(query).or(() -> known(query)).or(() -> transferred(query)).orElseGet(() -> modelled(query));
  }

  // The time with the software that is named, carried over or of a kindred kernel, where no table of this accelerator
  // has it.
  private Optional<KernelEstimate> ofSoftware(KernelQuery query) {
    if (query.variant().isEmpty() || holdsSoftware(query)) {
      return Optional.empty();
    }
    return kindred.ofSoftwareHere(query).or(() -> transfer.ofSoftware(query)).or(() -> kindred.ofSoftware(query));
  }

  /** The time of a kernel as it would be known if its very shape had not been measured. */
  public KernelEstimate estimateUnseen(KernelQuery query) {
    return ofSoftware(query).or(() -> faster(query, tabulated(query, true))).or(() -> transferred(query))
        .orElseGet(() -> modelled(query));
  }

  /**
   * The time of attention with a window over the time without it, above 0 and at most 1: of whole tiles and of traffic.
   *
   * @param query of {@link KernelKind#ATTENTION_WINDOW_FORWARD} or its gradients
   */
  public double windowShare(KernelQuery query) {
    return kindred.windowShare(query);
  }

  /** The time from tables of the very accelerator, of this kernel or a kindred one. */
  Optional<KernelEstimate> known(KernelQuery query) {
    return faster(query, tabulated(query));
  }

  // Where a query names no software, a kindred kernel of other software counts if it is faster than the measured one.
  private Optional<KernelEstimate> faster(KernelQuery query, Optional<KernelEstimate> measured) {
    if (measured.isPresent() && !(query.variant().isEmpty() && kindred.isOtherSoftware(query))) {
      return measured;
    }
    Optional<KernelEstimate> other = kindred.estimate(query);
    return measured.isPresent() && !(other.isPresent() && isFaster(other.get(), measured.get())) ? measured : other;
  }

  // Faster by more than its interval: other software, and no error.
  private static boolean isFaster(KernelEstimate one, KernelEstimate other) {
    return one.seconds() * (1 + one.relativeError()) < other.seconds();
  }

  /**
   * The time from tables of this kernel on this accelerator: of the narrowest interval, unless other software is faster
   * by more than its own. Variants of state-space layers are their parts.
   */
  Optional<KernelEstimate> tabulated(KernelQuery query) {
    return tabulated(query, false);
  }

  private Optional<KernelEstimate> tabulated(KernelQuery query, boolean unseen) {
    boolean parts = query.kind().family() == KernelKind.Family.STATE_SPACE;
    List<KernelEstimate> all = tablesOf(query).stream().map(table -> estimate(table, query, unseen))
        .sorted(Comparator.comparingDouble(KernelEstimate::relativeError)).toList();
    return all.stream().reduce((best, next) -> !parts && isFaster(next, best) ? next : best);
  }

  private static KernelEstimate estimate(KernelTable table, KernelQuery query, boolean unseen) {
    KernelLookup lookup = table.lookup();
    double seconds = unseen ? lookup.secondsUnseen(query.shape()) : lookup.seconds(query.shape());
    return new KernelEstimate(seconds, lookup.relativeError(), table.roofline().bound(query.sizes()), lookup.basis(),
        table.id() + ": " + table.provenance().source());
  }

  /** The time carried over from accelerators that know the kernel. */
  Optional<KernelEstimate> transferred(KernelQuery query) {
    return transfer.estimate(query);
  }

  // Tables of the variant that is asked for; else of its software, in another version; else of all.
  List<KernelTable> tablesOf(KernelQuery query) {
    List<TableId> all = named(query.gpu(), query.kind(), query.format()).toList();
    String software = TableId.software(query.variant());
    return Stream.<Predicate<TableId>>of(
        id -> id.variant().equals(query.variant()), id -> id.software().equals(software), id -> true)
        .map(like -> all.stream().filter(like).map(this::table).toList())
        .filter(tables -> !tables.isEmpty()).findFirst().orElse(List.of());
  }

  /** Other accelerators of which any kernel was measured, the nearest first. */
  List<GpuSpec> nearest(GpuSpec wanted) {
    return gpus.gpus().stream().filter(gpu -> !gpu.id().equals(wanted.id()) && holds(gpu))
        .sorted(Comparator.comparingDouble(gpu -> Transfer.distance(gpu, wanted))).toList();
  }

  private boolean holds(GpuSpec gpu) {
    return sources.keySet().stream().anyMatch(id -> id.gpu().equals(gpu.id()));
  }

  /** The time of the data sheet alone. */
  KernelEstimate modelled(KernelQuery query) {
    KernelRoofline roofline = new KernelRoofline(query.gpu(), query.kind(), query.format());
    return new KernelEstimate(roofline.seconds(query.sizes()), ROOFLINE_ERROR, roofline.bound(query.sizes()),
        Basis.MODELLED, "roofline of the data sheet: " + query.gpu().source());
  }
}
