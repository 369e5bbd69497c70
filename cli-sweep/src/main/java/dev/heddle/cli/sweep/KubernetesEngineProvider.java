package dev.heddle.cli.sweep;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.heddle.cli.SweepEngine;
import dev.heddle.cli.SweepEngineProvider;
import dev.heddle.cli.SweepJob;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Provides an engine that creates one Indexed Job of Kubernetes (batch/v1) by {@code kubectl}, and follows it. The
 * workers run in a container image of Heddle and share a persistent volume, mounted under the path at which this
 * machine has it; folder and scenario must be on that volume.
 */
@Plugin(id = "kubernetes", description = "An Indexed Job of Kubernetes, one pod for each worker")
public final class KubernetesEngineProvider implements SweepEngineProvider<KubernetesEngineProvider.Settings> {
  private static final int LONGEST_NAME = 40;
  /** Time after its end at which the cluster removes the job. */
  private static final int KEEP_SECONDS = 3600;

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
    if (!settings.mount().isAbsolute()) {
      throw new InvalidSettingException("mount", "'" + settings.mount() + "' is no absolute path, such as /shared");
    }
    return new KubernetesEngine(settings);
  }

  private record KubernetesEngine(Settings settings) implements SweepEngine {
    @Override
    public Optional<String> manifest(SweepJob job) {
      if (!job.folder().startsWith(settings.mount())) {
        throw new InvalidSettingException("", "--out " + job.folder() + ": is not below the volume's mount, "
            + settings.mount() + "; pods could not see it");
      }
      YAMLMapper yaml = YAMLMapper.builder().disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
          .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES).enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
          .disable(YAMLGenerator.Feature.SPLIT_LINES).build();
      try {
        return Optional.of(yaml.writeValueAsString(document(job)));
      } catch (JsonProcessingException e) {
        throw new IllegalStateException("the manifest cannot be written", e);
      }
    }

    private ObjectNode document(SweepJob job) {
      ObjectNode root = JsonNodeFactory.instance.objectNode().put("apiVersion", "batch/v1").put("kind", "Job");
      ObjectNode metadata = root.putObject("metadata");
      metadata.put("generateName", "heddle-" + label(job.name()) + "-").put("namespace", settings.namespace());
      metadata.putObject("labels").put("app.kubernetes.io/name", "heddle");
      ObjectNode spec = root.putObject("spec")
          .put("completionMode", "Indexed")
          .put("completions", job.workers())
          .put("parallelism", job.workers())
          // A pod that fails is started again; each may fail several times.
          .put("backoffLimit", 6 * job.workers())
          .put("ttlSecondsAfterFinished", KEEP_SECONDS);
      ObjectNode pod = spec.putObject("template").putObject("spec").put("restartPolicy", "Never");
      container(pod.putArray("containers").addObject(), job);
      pod.putArray("volumes").addObject().put("name", "shared").putObject("persistentVolumeClaim")
          .put("claimName", settings.claim());
      return root;
    }

    private void container(ObjectNode container, SweepJob job) {
      container.put("name", "heddle").put("image", settings.image());
      container.putArray("command").add("/bin/sh").add("-c")
          // Kubernetes counts indices from 0.
          .add("exec heddle " + job.shell(job.arguments(), "$((JOB_COMPLETION_INDEX + 1))"));
      ObjectNode resources = container.putObject("resources");
      resources.putObject("requests").put("cpu", job.threads()).put("memory", settings.memory());
      resources.putObject("limits").put("memory", settings.memory());
      container.putArray("volumeMounts").addObject().put("name", "shared")
          .put("mountPath", settings.mount().toString());
    }

    /** A name as Kubernetes allows it: lower-case letters, digits and hyphens (RFC 1123). */
    private static String label(String name) {
      String letters = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
      return letters.substring(0, Math.min(LONGEST_NAME, letters.length()));
    }

    @Override
    public Workers start(SweepJob job) {
      String name = ExternalCommand.require(
          List.of(settings.kubectl(), "create", "--namespace", settings.namespace(), "--output=name", "--filename=-"),
          manifest(job).orElseThrow());
      return new KubernetesWorkers(name.substring(name.lastIndexOf('\n') + 1), settings);
    }
  }

  private static final class KubernetesWorkers extends FollowedJob {
    private final String name;
    private final Settings settings;

    KubernetesWorkers(String name, Settings settings) {
      super("kubernetes");
      this.name = name;
      this.settings = settings;
    }

    @Override
    public String name() {
      return "Kubernetes' " + name;
    }

    @Override
    List<String> question() {
      return List.of(settings.kubectl(), "get", name, "--namespace", settings.namespace(), "--output=json");
    }

    @Override
    boolean runs(String answer) {
      return !ended(answer);
    }

    @Override
    boolean forgotten(String failure) {
      return failure.contains("NotFound");
    }

    /** Whether a job has the condition Complete or Failed [Kubernetes, Jobs, §Terminal Job conditions]. */
    private static boolean ended(String json) {
      try {
        for (JsonNode condition : new ObjectMapper().readTree(json).path("status").path("conditions")) {
          String type = condition.path("type").asText();
          if ((type.equals("Complete") || type.equals("Failed")) && condition.path("status").asText().equals("True")) {
            return true;
          }
        }
        return false;
      } catch (JsonProcessingException e) {
        return false;
      }
    }

    @Override
    public void cancel() {
      ExternalCommand.call(
          List.of(settings.kubectl(), "delete", name, "--namespace", settings.namespace(), "--ignore-not-found",
              "--wait=false"),
          "");
    }
  }
}
