package dev.heddle.kernel;

/** The kind of knowledge that a time rests on, from the best to the weakest. */
public enum Basis {
  /** This shape was measured on this accelerator. */
  MEASURED,
  /** Shapes around it were measured on this accelerator. */
  INTERPOLATED,
  /** Smaller or larger shapes were measured on this accelerator; the roofline goes on from the nearest. */
  EXTRAPOLATED,
  /** The shape was measured or interpolated on another accelerator, and carried over by the resource that binds it. */
  TRANSFERRED,
  /** The roofline alone. */
  MODELLED
}
