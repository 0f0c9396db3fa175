/**
 * What is counted and measured, under which name and with which labels: {@link
 * inferencegateway.metrics.Metric} is the one table, repeated for people in {@code
 * docs/metrics.md}.
 *
 * <p>Records once a call, at its end, on its loop; everything that is a state is looked up when
 * somebody reads. Labels come from closed or bounded sets. Never knows what calls say.
 */
@NullMarked
package inferencegateway.metrics;

import org.jspecify.annotations.NullMarked;
