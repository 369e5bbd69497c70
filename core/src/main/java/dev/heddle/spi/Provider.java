package dev.heddle.spi;

/**
 * A named factory of one kind of building block, found through {@link java.util.ServiceLoader}.
 *
 * <ul>
 *   <li>PROVIDER-1: an implementation MUST have a public constructor without parameters that does no work, and MUST be
 *       stateless.
 *   <li>PROVIDER-2: {@link #id()} MUST match {@code [a-z][a-z0-9-]{0,62}} and be the same at every call.
 *   <li>PROVIDER-3: {@link #description()} MUST be one line.
 *   <li>PROVIDER-4: {@link #settings()} MUST be a record whose components all carry {@link Setting}.
 *   <li>PROVIDER-5: {@link #create} MUST be a pure function of its settings. It MUST refuse settings that do not fit
 *       together with {@link InvalidSettingException}, naming the component.
 * </ul>
 *
 * @param <S> the settings, from which validation, defaults, documentation and error messages follow
 * @param <T> the product
 */
public interface Provider<S extends Record, T> {
  /** The name by which scenarios choose this provider; that of its {@link Plugin}. */
  default String id() {
    return Declarations.plugin(getClass()).id();
  }

  /** The subject of the provider's model, in one line; that of its {@link Plugin}. */
  default String description() {
    return Declarations.plugin(getClass()).description();
  }

  /** The type of the settings record: the first generic argument of the interface that the provider implements. */
  default Class<S> settings() {
    return Declarations.settings(getClass());
  }

  /**
   * Makes a product.
   *
   * @param settings complete and within the declared ranges
   * @throws InvalidSettingException when settings do not fit together
   */
  T create(S settings);
}
