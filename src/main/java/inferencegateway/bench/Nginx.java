package inferencegateway.bench;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** nginx as a proxy that passes every byte on at once. */
final class Nginx {

  private static final String CONFIG =
      """
      daemon off;
      worker_processes 2;
      worker_rlimit_nofile 20000;
      pid nginx.pid;
      error_log stderr crit;
      events { worker_connections 10000; }
      http {
        access_log off;
        client_body_temp_path temp;
        proxy_temp_path temp;
        fastcgi_temp_path temp;
        uwsgi_temp_path temp;
        scgi_temp_path temp;
        upstream backend { server 127.0.0.1:%d; keepalive 2000; }
        server {
          listen 127.0.0.1:%d backlog=4096;
          keepalive_requests 1000000000;
          location / {
            proxy_pass http://backend;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_buffering off;
            proxy_read_timeout 600s;
          }
        }
      }
      """;

  private Nginx() {}

  static boolean isInstalled() {
    return binary().isPresent();
  }

  private static Optional<Path> binary() {
    String path = System.getenv().getOrDefault("PATH", "") + File.pathSeparator + "/usr/sbin";
    return Arrays.stream(path.split(File.pathSeparator))
        .map(folder -> Path.of(folder, "nginx"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Returns when it takes connections. */
  static Child start(int port, int backend, Duration most)
      throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("bench-nginx");
    folder.toFile().deleteOnExit();
    Path config = Files.writeString(folder.resolve("nginx.conf"), CONFIG.formatted(backend, port));
    for (String left : List.of("nginx.pid", "temp", "nginx.conf")) {
      folder.resolve(left).toFile().deleteOnExit();
    }
    List<String> command =
        List.of(
            binary().orElseThrow().toString(),
            "-e",
            "stderr",
            "-p",
            folder.toString(),
            "-c",
            config.toString());
    Child child = Child.start("nginx", command, line -> false);
    awaitListening(port, child, System.nanoTime() + most.toNanos());
    return child;
  }

  private static void awaitListening(int port, Child child, long end)
      throws IOException, InterruptedException {
    while (true) {
      try (Socket probe = new Socket(InetAddress.getLoopbackAddress(), port)) {
        if (probe.isConnected()) {
          return;
        }
      } catch (IOException notYet) {
        if (!child.isAlive() || System.nanoTime() - end > 0) {
          child.close();
          throw new IOException("nginx did not start; it said:\n" + child.said(), notYet);
        }
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }
}
