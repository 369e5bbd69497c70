/** Composition of simulations by injection. Composition happens once per simulation; nothing is injected per event. */
@NullMarked
package dev.heddle.scenario.wiring;

import org.jspecify.annotations.NullMarked;
