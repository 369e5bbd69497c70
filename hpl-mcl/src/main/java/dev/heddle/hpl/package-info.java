/** High-performance Linpack (HPL) in closed form: the original model, and its extension to communication layers. */
@NullMarked
package dev.heddle.hpl;

import org.jspecify.annotations.NullMarked;
