package dev.heddle.spi;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Declares a {@link Provider}'s id and description. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Plugin {
  /** The name by which scenarios choose the provider ({@code type: fat-tree}). */
  String id();

  /** The subject of the provider's model, in one line. */
  String description();
}
