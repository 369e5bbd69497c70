package dev.heddle.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.network.NetworkModelProvider;
import dev.heddle.spi.CollectiveAlgorithmProvider;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.LinkProvider;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Setting;
import dev.heddle.spi.SwitchProvider;
import dev.heddle.spi.TransportProtocolProvider;
import dev.heddle.spi.WorkloadProvider;
import dev.heddle.tier.TopologyProvider;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The rules of {@link Provider}; the contracts of the kinds of product extend it.
 *
 * @param <S> the settings record
 * @param <T> the product
 */
public abstract class ProviderContract<S extends Record, T> {
  private static final List<Class<?>> SPIS = List.of(
      CollectiveAlgorithmProvider.class, LinkProvider.class, NetworkModelProvider.class, SwitchProvider.class,
      TopologyProvider.class,
      TransportProtocolProvider.class, WorkloadProvider.class);

  /** The provider under test. */
  protected abstract Provider<S, T> provider();

  /**
   * Settings that the provider accepts, at least one: defaults, extremes, and every branch that changes the product.
   */
  protected abstract List<S> settings();

  /** Settings whose values are each in range but do not fit together; none unless overridden. */
  protected List<S> refusedSettings() {
    return List.of();
  }

  /** Whether the provider is registered in {@code META-INF/services}; only a test's own toy is not. */
  protected boolean registered() {
    return true;
  }

  /** The product of some settings. */
  protected final T product(S settings) {
    return provider().create(settings);
  }

  @Test
  void provider1ShouldHavePublicConstructorWithoutParametersAndNoState() throws ReflectiveOperationException {
    Class<?> type = provider().getClass();
    assertThat(Modifier.isPublic(type.getModifiers())).as("%s is public", type).isTrue();
    assertThat(Modifier.isPublic(type.getConstructor().getModifiers())).as("its constructor is public").isTrue();
    assertThat(Arrays.stream(type.getDeclaredFields())
        .filter(field -> !Modifier.isStatic(field.getModifiers()) && !field.isSynthetic()))
        .as("instance fields of %s", type)
        .isEmpty();
  }

  @Test
  void provider1ShouldBeRegisteredUnlessDeclined() {
    Class<?> type = provider().getClass();
    boolean found = SPIS.stream().filter(spi -> spi.isInstance(provider())).anyMatch(spi -> lists(spi, type));
    assertThat(found).as("META-INF/services names %s", type.getName()).isEqualTo(registered());
  }

  private static boolean lists(Class<?> spi, Class<?> type) {
    return ServiceLoader.load(spi, type.getClassLoader()).stream().anyMatch(entry -> entry.type() == type);
  }

  @Test
  void provider2ShouldHaveConstantIdOfAllowedForm() {
    assertThat(provider().id()).matches("[a-z][a-z0-9-]{0,62}").isEqualTo(provider().id());
  }

  @Test
  void provider3ShouldDescribeItselfInOneLine() {
    assertThat(provider().description()).isNotBlank().doesNotContain("\n", "\r");
  }

  @Test
  void provider4ShouldAnnotateEverySettingInRecord() {
    assertAnnotated(provider().settings());
  }

  private static void assertAnnotated(Class<?> record) {
    for (RecordComponent component : record.getRecordComponents()) {
      Setting setting = component.getAnnotation(Setting.class);
      assertThat(setting).as("@Setting on %s.%s", record.getSimpleName(), component.getName()).isNotNull();
      assertThat(setting.value()).as("text of %s", component.getName()).isNotBlank().doesNotContain("\n");
      if (component.getType().isRecord() && component.getType().getEnclosingClass() != null) {
        assertAnnotated(component.getType());
      }
    }
  }

  @Test
  void provider5ShouldCreateFromEveryAcceptedSettings() {
    assertThat(settings()).as("settings to test with").isNotEmpty();
    for (S settings : settings()) {
      assertThat(product(settings)).as("product of %s", settings).isNotNull();
    }
  }

  @Test
  void provider5ShouldNameComponentWhenSettingsDoNotFit() {
    for (S settings : refusedSettings()) {
      Throwable thrown = catchThrowable(() -> product(settings));
      assertThat(thrown).as("refusal of %s", settings).isInstanceOf(InvalidSettingException.class);
      assertThat(thrown.getMessage()).as("message").isNotBlank();
      Stream<String> components =
          Arrays.stream(provider().settings().getRecordComponents()).map(RecordComponent::getName);
      assertThat(Stream.concat(components, Stream.of("")))
          .as("components of %s", provider().settings())
          .contains(((InvalidSettingException) thrown).component());
    }
  }
}
