package dev.heddle.batch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.heddle.spi.InvalidSettingException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * The pods of a job of Kubernetes (batch/v1): a container image of Heddle, and a persistent volume that they share with
 * this machine, mounted under the path at which this machine has it.
 *
 * @param image of Heddle
 * @param claim of the persistent volume
 * @param mount path of the volume, absolute
 * @param namespace of the job
 * @param memory of a pod, as Kubernetes writes it
 * @param kubectl program that creates and follows the job
 */
public record KubernetesPods(
    String image, String claim, Path mount, String namespace, String memory, String kubectl) {
  private static final int LONGEST_NAME = 40;
  /** Time after its end at which the cluster removes a job. */
  private static final int KEEP_SECONDS = 3600;

  /**
   * Checks the path.
   *
   * @throws InvalidSettingException when it is not absolute
   */
  public KubernetesPods {
    if (!mount.isAbsolute()) {
      throw new InvalidSettingException("mount", "'" + mount + "' is no absolute path, such as /shared");
    }
  }

  /**
   * Checks that pods see a folder.
   *
   * @param named the folder as the user named it, for the message
   * @param folder absolute path of it
   * @throws InvalidSettingException when it is not on the volume
   */
  public void requireShared(String named, Path folder) {
    if (!folder.startsWith(mount)) {
      throw new InvalidSettingException("",
          named + ": is not below the volume's mount, " + mount + "; pods could not see it");
    }
  }

  /**
   * The manifest of a job of one pod; {@code spec} takes more.
   *
   * @param name for people
   * @param cpus that a pod asks for
   * @param command of the pod's shell
   */
  public ObjectNode job(String name, int cpus, String command) {
    ObjectNode root = JsonNodeFactory.instance.objectNode().put("apiVersion", "batch/v1").put("kind", "Job");
    ObjectNode metadata = root.putObject("metadata");
    metadata.put("generateName", "heddle-" + label(name) + "-").put("namespace", namespace);
    metadata.putObject("labels").put("app.kubernetes.io/name", "heddle");
    ObjectNode spec = root.putObject("spec").put("ttlSecondsAfterFinished", KEEP_SECONDS);
    ObjectNode pod = spec.putObject("template").putObject("spec").put("restartPolicy", "Never");
    ObjectNode container = pod.putArray("containers").addObject().put("name", "heddle").put("image", image);
    container.putArray("command").add("/bin/sh").add("-c").add(command);
    ObjectNode resources = container.putObject("resources");
    resources.putObject("requests").put("cpu", "" + cpus).put("memory", memory);
    resources.putObject("limits").put("memory", memory);
    container.putArray("volumeMounts").addObject().put("name", "shared").put("mountPath", mount.toString());
    pod.putArray("volumes").addObject().put("name", "shared").putObject("persistentVolumeClaim")
        .put("claimName", claim);
    return root;
  }

  /** A manifest as YAML. */
  public static String yaml(ObjectNode manifest) {
    YAMLMapper yaml = YAMLMapper.builder().disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
        .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES).enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
        .disable(YAMLGenerator.Feature.SPLIT_LINES).build();
    try {
      return yaml.writeValueAsString(manifest);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("the manifest cannot be written", e);
    }
  }

  /** A name as Kubernetes allows it: lower-case letters, digits and hyphens (RFC 1123). */
  private static String label(String name) {
    String letters = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
    return letters.substring(0, Math.min(LONGEST_NAME, letters.length()));
  }
}
