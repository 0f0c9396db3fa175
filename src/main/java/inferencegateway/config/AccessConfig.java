package inferencegateway.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Who may call.
 *
 * @param callersFile key {@code callers.file}; null: callers are not asked who they are
 * @param allowAnyCaller key {@code allow-any-caller}; the operator means it, no warning is due
 */
public record AccessConfig(@Nullable Path callersFile, boolean allowAnyCaller) {}
