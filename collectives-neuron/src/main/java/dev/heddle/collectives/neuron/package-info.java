/** Collectives as AWS Neuron does them on tori of chips [Neuron]. */
@NullMarked
package dev.heddle.collectives.neuron;

import org.jspecify.annotations.NullMarked;
