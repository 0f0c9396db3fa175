package inferencegateway.cli;

import inferencegateway.config.Durations;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Durations on the command line, written as in the configuration. */
final class DurationOption implements ITypeConverter<Duration> {

  @Override
  public Duration convert(String text) {
    try {
      Duration duration = Durations.parse(text);
      if (!duration.isZero()) {
        return duration;
      }
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage() + ", was \"" + text + '"');
    }
    throw new TypeConversionException("must be longer than 0s");
  }
}
