package dev.heddle.cli.sweep;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.heddle.batch.KubernetesJob;
import dev.heddle.batch.KubernetesPods;
import dev.heddle.cli.SweepEngine;
import dev.heddle.cli.SweepEngineProvider;
import dev.heddle.cli.SweepJob;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Provides an engine that creates one Indexed Job of Kubernetes (batch/v1) by {@code kubectl}, and follows it. The
 * workers run in a container image of Heddle and share a persistent volume, mounted under the path at which this
 * machine has it; folder and scenario must be on that volume.
 */
@Plugin(id = "kubernetes", description = "An Indexed Job of Kubernetes, one pod for each worker")
public final class KubernetesEngineProvider implements SweepEngineProvider<KubernetesEngineProvider.Settings> {
  /**
   * The pods of a job.
   *
   * @param image of Heddle
   * @param claim of the persistent volume
   * @param mount path of the volume
   * @param namespace of the job
   * @param memory of a pod, as Kubernetes writes it
   * @param kubectl program that creates and follows the job
   */
  public record Settings(
      @Setting("container image of this version of Heddle, such as registry.example/heddle:0.1") String image,
      @Setting("name of the persistent volume claim that all pods share") String claim,
      @Setting("absolute path of the volume, here and in the pods, such as /shared") Path mount,
      @Setting(value = "namespace of the job", def = "default") String namespace,
      @Setting(value = "memory of a pod as Kubernetes writes it", def = "2Gi") String memory,
      @Setting(value = "program that creates and follows the job", def = "kubectl") String kubectl) {}

  @Override
  public SweepEngine create(Settings settings) {
    return new KubernetesEngine(new KubernetesPods(
        settings.image(), settings.claim(), settings.mount(), settings.namespace(), settings.memory(),
        settings.kubectl()));
  }

  private record KubernetesEngine(KubernetesPods pods) implements SweepEngine {
    @Override
    public Optional<String> manifest(SweepJob job) {
      pods.requireShared("--out " + job.folder(), job.folder());
      // Kubernetes counts indices from 0.
      ObjectNode manifest = pods.job(job.name(), job.threads(),
          "exec heddle " + job.shell(job.arguments(), "$((JOB_COMPLETION_INDEX + 1))"));
      manifest.withObject("/spec")
          .put("completionMode", "Indexed")
          .put("completions", job.workers())
          .put("parallelism", job.workers())
          // A pod that fails is started again; each may fail several times.
          .put("backoffLimit", 6 * job.workers());
      return Optional.of(KubernetesPods.yaml(manifest));
    }

    @Override
    public Workers start(SweepJob job) {
      return new BatchWorkers(KubernetesJob.create(manifest(job).orElseThrow(), pods));
    }
  }
}
