/** Language models as data: shapes, parameters, floating-point operations. */
@NullMarked
package dev.heddle.workload.megatron.model;

import org.jspecify.annotations.NullMarked;
