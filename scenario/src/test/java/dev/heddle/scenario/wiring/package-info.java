/** Tests of composition by injection. */
@NullMarked
package dev.heddle.scenario.wiring;

import org.jspecify.annotations.NullMarked;
