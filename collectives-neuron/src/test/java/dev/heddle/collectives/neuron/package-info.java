@NullMarked
package dev.heddle.collectives.neuron;

import org.jspecify.annotations.NullMarked;
