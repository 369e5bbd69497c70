package dev.heddle.service;

import dev.heddle.batch.BatchJob;
import dev.heddle.batch.KubernetesJob;
import dev.heddle.batch.KubernetesPods;
import dev.heddle.cli.ShellWords;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Provides a runner that creates a Job of Kubernetes for each task, whose pod runs a container image of Heddle. Data
 * folder and inputs must be on the volume that the pods share.
 */
@Plugin(id = "kubernetes", description = "A Job of Kubernetes for each task")
public final class KubernetesTaskRunnerProvider implements TaskRunnerProvider<KubernetesTaskRunnerProvider.Settings> {
  /**
   * The pods of tasks.
   *
   * @param image of Heddle
   * @param claim of the persistent volume
   * @param mount path of the volume
   * @param namespace of the jobs
   * @param memory of a pod, as Kubernetes writes it
   * @param kubectl program that creates and follows jobs
   */
  public record Settings(
      @Setting("container image of this version of Heddle, such as registry.example/heddle:0.1") String image,
      @Setting("name of the persistent volume claim that all pods share") String claim,
      @Setting("absolute path of the volume, here and in the pods, such as /shared") Path mount,
      @Setting(value = "namespace of the jobs", def = "default") String namespace,
      @Setting("memory of a pod as Kubernetes writes it; without it, by --task-memory") Optional<String> memory,
      @Setting(value = "program that creates and follows jobs", def = "kubectl") String kubectl) {}

  @Override
  public TaskRunner create(Settings settings) {
    return new BatchTaskRunner(new Kubernetes(settings, pods(settings, "")));
  }

  private static KubernetesPods pods(Settings settings, String memory) {
    return new KubernetesPods(
        settings.image(), settings.claim(), settings.mount(), settings.namespace(), memory, settings.kubectl());
  }

  private record Kubernetes(Settings settings, KubernetesPods any) implements BatchTaskRunner.BatchSystem {
    @Override
    public String id() {
      return "kubernetes";
    }

    @Override
    public BatchJob submit(TaskRunner.Command command) {
      any.requireShared("--data " + command.folder(), command.folder());
      KubernetesPods pods =
          pods(settings, settings.memory().orElse(command.launch().processMiB() + "Mi"));
      // The image's launcher takes options of the virtual machine from the environment, and splits them at blanks.
      String words = ShellWords.quoted(
          List.of("env", "HEDDLE_JAVA_OPTS=" + String.join(" ", command.options()), "heddle")) + " "
          + ShellWords.quoted(command.arguments());
      var manifest = pods.job("task-" + command.folder().getFileName(), 1, BatchTaskRunner.shell(command, words));
      manifest.withObject("/spec").put("backoffLimit", 0);
      return KubernetesJob.create(KubernetesPods.yaml(manifest), pods);
    }

    @Override
    public BatchJob find(String id) {
      return new KubernetesJob(id, any);
    }
  }
}
