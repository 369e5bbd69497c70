package dev.heddle.spi;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares one component of a settings record: the single source of its check, default, documentation and messages.
 *
 * <p>The key in a scenario is the component's name in kebab case ({@code maxPayload} is {@code max-payload}). A
 * component without {@link #def()} is required, unless it is an {@link java.util.Optional}, a {@link java.util.List} or
 * a {@link java.util.Map}, which are then empty.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Setting {
  /** The meaning of the setting, in one line. */
  String value();

  /** The default, written as in a scenario (YAML flow style); empty: none. */
  String def() default "";

  /** The least allowed value, written as in a scenario; empty: no bound. */
  String min() default "";

  /** The greatest allowed value, written as in a scenario; empty: no bound. */
  String max() default "";

  /** The source of the default: a paper, a datasheet, a standard; empty for a choice that is not a fact. */
  String source() default "";
}
