package dev.heddle.topology.torus3d;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.Terminal;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.TierPlanBuilder;
import java.util.Arrays;
import java.util.List;

/**
 * Plans a slice: chips, which are the accelerators and forward for each other, joined along the axes of a lattice, and
 * hosts: a CPU for a box of chips, with its share of the NICs.
 */
final class SlicePlanner {
  private static final int NONE = Lattice.NONE;

  private final Torus3dTopologyProvider.Settings settings;
  private final Lattice lattice;
  private final boolean datelines;
  private final int[] box;

  SlicePlanner(Torus3dTopologyProvider.Settings settings, Lattice lattice, boolean datelines) {
    this.settings = settings;
    this.lattice = lattice;
    this.datelines = datelines;
    box = Torus3dTopologyProvider.padded(settings.hostSize()).toArray();
  }

  TierPlan plan(List<Terminal> terminals) {
    int[] accelerators = Terminal.numbers(terminals, DeviceKind.ACCELERATOR);
    int[] cpus = Terminal.numbers(terminals, DeviceKind.CPU);
    int[] nics = Terminal.numbers(terminals, DeviceKind.NIC);
    check(terminals.size(), accelerators, cpus, nics);
    TierPlanBuilder plan = new TierPlanBuilder(terminals);
    SliceRoutes.Places places = places(terminals.size(), accelerators, cpus, nics);
    SliceRoutes.Links links = join(plan, accelerators, terminals.size());
    for (int chip = 0; chip < accelerators.length; chip++) {
      plan.forward(accelerators[chip], settings.forwarding());
      if (cpus.length > 0) {
        int host = places.host()[accelerators[chip]];
        links.host()[chip] = plan.connect(accelerators[chip], cpus[host], settings.host().orElseThrow());
        if (nics.length > 0) {
          int perHost = nics.length / cpus.length;
          plan.egressNic(accelerators[chip], nics[host * perHost + indexOnHost(chip) * perHost / chipsPerHost()]);
        }
      }
    }
    for (int cpu : cpus) {
      plan.forward(cpu, settings.forwarding());
    }
    for (int nic : nics) {
      links.nic()[nic] = plan.connect(nic, cpus[places.host()[nic]], settings.nic().orElseThrow());
    }
    return plan.routeBy(new SliceRoutes(lattice, datelines, places, links)).build();
  }

  private void check(int terminals, int[] accelerators, int[] cpus, int[] nics) {
    int hosts = lattice.chips() / chipsPerHost();
    if (accelerators.length != lattice.chips() || accelerators.length + cpus.length + nics.length != terminals) {
      throw new InvalidSettingException("", "a " + lattice + " joins " + lattice.chips()
          + " accelerators, besides CPUs and NICs; there are " + accelerators.length + " accelerators among "
          + terminals + " terminals");
    }
    if (cpus.length != 0 && cpus.length != hosts) {
      throw new InvalidSettingException("hostSize", "a " + lattice + " has " + hosts + " hosts of " + chipsPerHost()
          + " chips each; there are " + cpus.length + " CPUs");
    }
    if (nics.length > 0 && (cpus.length == 0 || nics.length % cpus.length != 0)) {
      throw new InvalidSettingException("nic", nics.length + " NICs cannot be shared out to " + cpus.length
          + " CPUs; as many for each of at least 1 CPU can be");
    }
    if (cpus.length > 0 && settings.host().isEmpty()) {
      throw new InvalidSettingException("host", "missing: the slice has " + cpus.length + " CPUs");
    }
    if (nics.length > 0 && settings.nic().isEmpty()) {
      throw new InvalidSettingException("nic", "missing: the slice has " + nics.length + " NICs");
    }
  }

  private int chipsPerHost() {
    return box[0] * box[1] * box[2];
  }

  private SliceRoutes.Places places(int terminals, int[] accelerators, int[] cpus, int[] nics) {
    int[] chips = filled(terminals);
    int[] hosts = filled(terminals);
    int[] first = new int[cpus.length];
    Arrays.fill(first, Integer.MAX_VALUE);
    boolean[] isNic = new boolean[terminals];
    for (int chip = 0; chip < accelerators.length; chip++) {
      chips[accelerators[chip]] = chip;
      if (cpus.length > 0) {
        int host = host(chip);
        hosts[accelerators[chip]] = host;
        first[host] = Math.min(first[host], chip);
      }
    }
    for (int host = 0; host < cpus.length; host++) {
      hosts[cpus[host]] = host;
    }
    for (int nic = 0; nic < nics.length; nic++) {
      hosts[nics[nic]] = nic / (nics.length / cpus.length);
      isNic[nics[nic]] = true;
    }
    return new SliceRoutes.Places(chips, hosts, first, isNic);
  }

  private int host(int chip) {
    int host = 0;
    for (int axis = 0; axis < Lattice.AXES; axis++) {
      host = host * (lattice.size().get(axis) / box[axis]) + lattice.coordinate(chip, axis) / box[axis];
    }
    return host;
  }

  private int indexOnHost(int chip) {
    int index = 0;
    for (int axis = 0; axis < Lattice.AXES; axis++) {
      index = index * box[axis] + lattice.coordinate(chip, axis) % box[axis];
    }
    return index;
  }

  private SliceRoutes.Links join(TierPlanBuilder plan, int[] accelerators, int terminals) {
    int[] up = filled(lattice.chips() * Lattice.AXES);
    int[] down = filled(up.length);
    List<Link> models = settings.links();
    for (int chip = 0; chip < lattice.chips(); chip++) {
      for (int axis = 0; axis < Lattice.AXES; axis++) {
        int next = lattice.next(chip, axis);
        if (next != NONE) {
          Link model = models.get(models.size() == 1 ? 0 : axis);
          int link = plan.connect(accelerators[chip], accelerators[next], model);
          up[chip * Lattice.AXES + axis] = link;
          down[next * Lattice.AXES + axis] = link ^ 1;
        }
      }
    }
    return new SliceRoutes.Links(up, down, filled(lattice.chips()), filled(terminals));
  }

  private static int[] filled(int length) {
    int[] array = new int[length];
    Arrays.fill(array, NONE);
    return array;
  }
}
