package inferencegateway.cli;

import java.util.List;

/**
 * What the commands are given by whoever starts them.
 *
 * @param gateway for {@code serve} and {@code demo}
 * @param demoBackend for {@code demo}
 * @param moreCommands picocli command objects of other rooms, such as {@code simulate}
 */
public record Wiring(
    GatewayStarter gateway, BackendForDemo.Starter demoBackend, List<Object> moreCommands) {}
