package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import inferencegateway.proto.llm.v1.LLMServiceGrpc;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The artifact as it is handed out. */
final class StubsTest {

  /** Class files of Java 8. */
  private static final int JAVA_8 = 52;

  private Path file;
  private JarFile jar;

  @BeforeEach
  void open() throws Exception {
    file =
        Path.of(LLMServiceGrpc.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    jar = new JarFile(file.toFile());
  }

  @AfterEach
  void close() throws IOException {
    jar.close();
  }

  @Test
  void runsOnJava8() throws IOException {
    List<JarEntry> classes =
        jar.stream().filter(entry -> entry.getName().endsWith(".class")).toList();
    assertFalse(classes.isEmpty());
    for (JarEntry entry : classes) {
      try (DataInputStream bytes = new DataInputStream(jar.getInputStream(entry))) {
        bytes.readInt();
        bytes.readUnsignedShort();
        assertEquals(JAVA_8, bytes.readUnsignedShort(), entry.getName());
      }
    }
  }

  @Test
  void holdsGeneratedCodeOnly() {
    List<String> others =
        jar.stream()
            .map(JarEntry::getName)
            .filter(name -> name.endsWith(".class"))
            .filter(name -> !name.startsWith("inferencegateway/proto/"))
            .toList();
    assertEquals(List.of(), others);
  }

  @Test
  void carriesContractsLicenceAndReadme() throws IOException {
    assertHolds("llm.proto", "../../../proto/llm.proto");
    assertHolds("inference.proto", "../../../proto/inference.proto");
    assertHolds("META-INF/LICENSE", "../../../LICENSE");
    assertHolds("META-INF/README.md", "../README.md");
    assertHolds("META-INF/README.zh-CN.md", "../README.zh-CN.md");
  }

  @Test
  void comesWithSourcesAndTheContractsComments() throws IOException {
    String message = "inferencegateway/proto/llm/v1/Sampling";
    try (JarFile sources = beside("-sources.jar");
        JarFile javadoc = beside("-javadoc.jar")) {
      assertTrue(text(sources, message + ".java").contains("Randomness, 0 to 2"));
      assertTrue(text(javadoc, message + ".html").contains("Randomness, 0 to 2"));
    }
  }

  private JarFile beside(String ending) throws IOException {
    return new JarFile(
        file.resolveSibling(file.getFileName().toString().replace(".jar", ending)).toFile());
  }

  private void assertHolds(String entry, String source) throws IOException {
    assertEquals(Files.readString(Path.of(source)), text(jar, entry), entry);
  }

  private static String text(JarFile jar, String name) throws IOException {
    JarEntry entry = jar.getJarEntry(name);
    if (entry == null) {
      throw new AssertionError(name + " is missing in " + jar.getName());
    }
    return new String(jar.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8);
  }
}
