package dev.heddle.spi;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;

/** The declarations of provider classes: their annotation, and the generic argument that names their settings. */
final class Declarations {
  private Declarations() {}

  static Plugin plugin(Class<?> provider) {
    Plugin plugin = provider.getAnnotation(Plugin.class);
    if (plugin == null) {
      throw new IllegalStateException(provider.getName() + " has no @Plugin, nor methods in its place");
    }
    return plugin;
  }

  @SuppressWarnings("unchecked")
  static <S extends Record> Class<S> settings(Class<?> provider) {
    for (Type type : provider.getGenericInterfaces()) {
      if (type instanceof ParameterizedType generic && generic.getRawType() instanceof Class<?> raw
          && Provider.class.isAssignableFrom(raw)
          && generic.getActualTypeArguments()[0] instanceof Class<?> settings) {
        return (Class<S>) settings;
      }
    }
    throw new IllegalStateException(
        provider.getName() + " does not implement a provider's interface of its settings record");
  }
}
